// irkiss: ; expect: race
//
// As outside_list_safe.c, but the other thread looks without the lock.
#include <pthread.h>
#include <stdlib.h>

struct node {
    struct node *next, *previous;
};
static struct node head = { &head, &head };
extern void hook(struct node *, struct node *);
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *adds(void *unused)
{
    struct node *node = malloc(sizeof(*node));
    if (!node)
        return NULL;
    pthread_mutex_lock(&lock);
    hook(node, &head); // RACE
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void *looks(void *unused)
{
    void *first;
    first = head.next; // RACE
    return first;
}

int main(void)
{
    pthread_t one, two;
    if (pthread_create(&one, NULL, adds, NULL) || pthread_create(&two, NULL, looks, NULL))
        return 1;
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
