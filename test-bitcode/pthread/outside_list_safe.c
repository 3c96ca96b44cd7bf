// irkiss: ; expect: none
//
// A function without a model may write the pointers of an object that it is given.
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
    hook(node, &head); // NORACE
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void *looks(void *unused)
{
    void *first;
    pthread_mutex_lock(&lock);
    first = head.next; // NORACE
    pthread_mutex_unlock(&lock);
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
