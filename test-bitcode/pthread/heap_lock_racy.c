// irkiss: ; expect: race
//
// The lock of one object is taken for a field of another.
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
    object->value++; // RACE
    pthread_mutex_unlock(&object->lock);
    return NULL;
}

int main(void)
{
    pthread_t thread;
    struct object *a = make();
    struct object *b = make();
    pthread_create(&thread, NULL, worker, a);
    pthread_mutex_lock(&b->lock);
    a->value++; // RACE
    pthread_mutex_unlock(&b->lock);
    pthread_join(thread, NULL);
    return 0;
}
