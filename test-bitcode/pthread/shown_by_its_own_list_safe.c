// irkiss: ; expect: none
// As the racy twin, but the object is complete before others can find it.
#include <pthread.h>
#include <stdlib.h>

struct list {
    struct list *next, *prev;
};

struct node {
    struct list list;
    int count;
};

static struct list *shown;

static void init(struct list *list)
{
    list->next = list;
    list->prev = list;
}

static void *makes(void *arg)
{
    struct node *node = calloc(1, sizeof *node);
    if (!node)
        return NULL;
    node->count = 1;
    init(&node->list);
    __atomic_store_n(&shown, node->list.next, __ATOMIC_RELEASE);
    return NULL;
}

int main(void)
{
    pthread_t thread;
    struct node *found;
    pthread_create(&thread, NULL, makes, NULL);
    found = (struct node *)__atomic_load_n(&shown, __ATOMIC_ACQUIRE);
    if (found)
        return found->count;
    return 0;
}
