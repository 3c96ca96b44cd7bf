// irkiss: ; expect: none
//
// Two pointers in one number, as in lists with one link: either gives the other: here a lock keeps the two apart.
#include <pthread.h>
#include <stdint.h>

struct node { int value; };
static struct node first, second;
static uintptr_t both;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *user(void *unused)
{
    struct node *node = (struct node *)(both ^ (uintptr_t)&second);
    pthread_mutex_lock(&lock);
    node->value++;
    pthread_mutex_unlock(&lock);
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
