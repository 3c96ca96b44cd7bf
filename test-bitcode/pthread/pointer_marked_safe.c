// irkiss: ; expect: none
//
// A pointer with a mark in its last bit is kept as a number: it leads where it led: here a lock keeps the two apart.
#include <pthread.h>
#include <stdint.h>

struct node { int value; };
static struct node first;
static uintptr_t head;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *user(void *unused)
{
    struct node *node = (struct node *)(head & ~(uintptr_t)1);
    pthread_mutex_lock(&lock);
    node->value++;
    pthread_mutex_unlock(&lock);
    return 0;
}

int main(void)
{
    pthread_t t[2];
    head = (uintptr_t)&first | 1;
    for (int i = 0; i < 2; i++)
        if (pthread_create(&t[i], 0, user, 0))
            return 1;
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], 0);
    return 0;
}
