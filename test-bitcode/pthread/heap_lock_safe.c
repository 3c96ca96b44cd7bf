// irkiss: ; expect: none
//
// The lock of the object itself is taken.
#include <pthread.h>
#include <stdlib.h>

struct object {
    pthread_mutex_t lock;
    int value;
};

static struct object *make(void)
{
    struct object *object = malloc(sizeof *object);
    pthread_mutex_init(&object->lock, NULL);
    object->value = 0;
    return object;
}

static void *worker(void *argument)
{
    struct object *object = argument;
    pthread_mutex_lock(&object->lock);
    object->value++; // NORACE
    pthread_mutex_unlock(&object->lock);
    return NULL;
}

int main(void)
{
    pthread_t thread;
    struct object *a = make();
    pthread_create(&thread, NULL, worker, a);
    pthread_mutex_lock(&a->lock);
    a->value++; // NORACE
    pthread_mutex_unlock(&a->lock);
    pthread_join(thread, NULL);
    return 0;
}
