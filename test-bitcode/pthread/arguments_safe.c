// irkiss: --ts 0 ; expect: none
// irkiss: --ts 1 ; expect: none
// irkiss: --ts 2 ; expect: none
// irkiss: --tier coverability --property race ; expect: none; by: coverability
//
// Two threads of one function, given a cell each (the multiset ts holds arguments too: DESIGN 9.5).
#include <pthread.h>
#include <stddef.h>

int cells[2];

static void *count(void *argument)
{
    int *cell = argument;
    *cell += 1; // NORACE
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, count, &cells[0]);
    pthread_create(&b, NULL, count, &cells[1]);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
