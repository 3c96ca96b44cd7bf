// irkiss: --work 400k ; expect: race ; lazy: yes
//
// A pointer that went byte by byte: nothing tells where such a pointer leads, so that it may lead to whatever another thread accesses.
#include <pthread.h>
#include <stdint.h>

struct node { int value; };
static struct node first;
static unsigned char bytes[8];

static void *user(void *unused)
{
    uintptr_t number = 0;
    for (int i = 0; i < 8; i++)
        number |= (uintptr_t)bytes[i] << (8 * i);
    struct node *node = (struct node *)number;
    node->value++; // RACE
    return 0;
}

int main(void)
{
    pthread_t t[2];
    uintptr_t number = (uintptr_t)&first;
    for (int i = 0; i < 8; i++)
        bytes[i] = number >> (8 * i);
    for (int i = 0; i < 2; i++)
        if (pthread_create(&t[i], 0, user, 0))
            return 1;
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], 0);
    return 0;
}
