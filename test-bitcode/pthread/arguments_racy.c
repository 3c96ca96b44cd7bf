// irkiss: --ts 0 ; expect: race
// irkiss: --ts 1 ; expect: race
// irkiss: --ts 2 ; expect: race
//
// Two threads of one function, given the same cell (the multiset ts holds arguments too: DESIGN 9.5).
#include <pthread.h>
#include <stddef.h>

int cells[2];

static void *count(void *argument)
{
    int *cell = argument;
    *cell += 1; // RACE
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, count, &cells[0]);
    pthread_create(&b, NULL, count, &cells[0]);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
