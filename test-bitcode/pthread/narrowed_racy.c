// irkiss: ; expect: race ; forms: nopass ; lazy: yes
//
// Two threads have a wide text turned into one array of bytes.
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>

static char narrow[8];

static void *work(void *argument)
{
    wcstombs(narrow, L"a", 8); // RACE
    return argument;
}

int main(void)
{
    pthread_t a, b;

    pthread_create(&a, 0, work, 0);
    pthread_create(&b, 0, work, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
