// irkiss: --tier coverability ; expect: none; by: coverability; lazy: yes
//
// A node is filled in before others can find it, by any number of threads.
#include <pthread.h>
#include <stdlib.h>

struct node {
    int value;
};

extern _Bool __irkiss_nondet_bool(void);
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
struct node *last;

static void *put(void *argument)
{
    struct node *node = malloc(sizeof *node);
    if (!node)
        return NULL;
    node->value = 1; // NORACE
    pthread_mutex_lock(&lock);
    last = node;
    pthread_mutex_unlock(&lock);
    return argument;
}

static void *get(void *argument)
{
    struct node *found;
    pthread_mutex_lock(&lock);
    found = last;
    pthread_mutex_unlock(&lock);
    return found && found->value ? argument : NULL; // NORACE
}

int main(void)
{
    pthread_t thread;
    while (__irkiss_nondet_bool()) {
        if (__irkiss_nondet_bool())
            pthread_create(&thread, NULL, put, NULL);
        else
            pthread_create(&thread, NULL, get, NULL);
    }
    return 0;
}
