/* Lists without locks (lib/llist.c): each function is as the kernel's, with one step where that exchanges the head. */
#include "irkiss_linux.h"

struct node {
    struct node *next;
};

/* llist_del_all is inline (include/linux/llist.h): an exchange. */
_Bool llist_add_batch(struct node *first, struct node *last, struct node *volatile *head)
{
    struct node *before;
    __irkiss_atomic_begin();
    before = *head;
    last->next = before;
    *head = first;
    __irkiss_atomic_end();
    return before == NULL;
}

struct node *llist_del_first(struct node *volatile *head)
{
    struct node *entry;
    __irkiss_atomic_begin();
    entry = *head;
    if (entry)
        *head = *(struct node *volatile *)&entry->next;
    __irkiss_atomic_end();
    return entry;
}

struct node *llist_reverse_order(struct node *head)
{
    struct node *reversed = NULL;
    IRKISS_FOLLOWED
    while (head) {
        struct node *next = head->next;
        head->next = reversed;
        reversed = head;
        head = next;
    }
    return reversed;
}
