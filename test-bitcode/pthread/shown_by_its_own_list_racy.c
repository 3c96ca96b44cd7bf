// irkiss: ; expect: race
// A thread makes an object whose list is empty, and lets others find it by what the list itself holds: from there on it is shared.
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
    init(&node->list);
    __atomic_store_n(&shown, node->list.next, __ATOMIC_RELEASE);
    node->count = 1; // RACE
    return NULL;
}

int main(void)
{
    pthread_t thread;
    struct node *found;
    pthread_create(&thread, NULL, makes, NULL);
    found = (struct node *)__atomic_load_n(&shown, __ATOMIC_ACQUIRE);
    if (found)
        return found->count; // RACE
    return 0;
}
