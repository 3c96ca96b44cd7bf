// irkiss: ; expect: race
//
// As net_new_safe.c, but the node is filled in when others can find it.
#include <pthread.h>
#include <stdlib.h>

struct node {
    int value;
};

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
struct node *last;

static void *put(void *argument)
{
    struct node *node = malloc(sizeof *node);
    if (!node)
        return NULL;
    pthread_mutex_lock(&lock);
    last = node;
    pthread_mutex_unlock(&lock);
    node->value = 1; // RACE
    return argument;
}

static void *get(void *argument)
{
    struct node *found;
    pthread_mutex_lock(&lock);
    found = last;
    pthread_mutex_unlock(&lock);
    return found && found->value ? argument : NULL; // RACE
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, put, NULL);
    pthread_create(&thread, NULL, get, NULL);
    return 0;
}
