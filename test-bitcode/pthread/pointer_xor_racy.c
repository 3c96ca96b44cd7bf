// irkiss: ; expect: race
//
// Two pointers in one number, as in lists with one link: either gives the other.
#include <pthread.h>
#include <stdint.h>

struct node { int value; };
static struct node first, second;
static uintptr_t both;

static void *user(void *unused)
{
    struct node *node = (struct node *)(both ^ (uintptr_t)&second);
    node->value++; // RACE
    return 0;
}

int main(void)
{
    pthread_t t[2];
    both = (uintptr_t)&first ^ (uintptr_t)&second;
    for (int i = 0; i < 2; i++)
        if (pthread_create(&t[i], 0, user, 0))
            return 1;
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], 0);
    return 0;
}
