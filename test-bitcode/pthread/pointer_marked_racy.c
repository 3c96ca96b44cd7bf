// irkiss: ; expect: race
//
// A pointer with a mark in its last bit is kept as a number: it leads where it led.
#include <pthread.h>
#include <stdint.h>

struct node { int value; };
static struct node first;
static uintptr_t head;

static void *user(void *unused)
{
    struct node *node = (struct node *)(head & ~(uintptr_t)1);
    node->value++; // RACE
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
