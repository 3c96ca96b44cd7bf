// irkiss: ; expect: none
// As the racy twin, but the last node is completed under the lock; the new one needs none.
#include <pthread.h>
#include <stdlib.h>

struct node {
    struct node *next;
    int last;
};

static struct node *head;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *builds(void *arg)
{
    struct node *tail = NULL;
#pragma clang loop unroll(disable)
    for (int i = 0; i < 2; i++) {
        struct node *node = calloc(1, sizeof *node);
        if (!node)
            break;
        node->last = 1;
        pthread_mutex_lock(&lock);
        if (tail) {
            tail->last = 0;
            tail->next = node;
        } else {
            head = node;
        }
        pthread_mutex_unlock(&lock);
        tail = node;
    }
    return NULL;
}

int main(void)
{
    pthread_t thread;
    int sum = 0;
    pthread_create(&thread, NULL, builds, NULL);
    pthread_mutex_lock(&lock);
    for (struct node *node = head; node; node = node->next)
        sum += node->last;
    pthread_mutex_unlock(&lock);
    pthread_join(thread, NULL);
    return sum;
}
