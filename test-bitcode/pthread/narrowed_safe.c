// irkiss: ; expect: none ; forms: nopass ; lazy: yes
//
// Two threads have a wide text turned into one array of bytes, each under the lock.
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>

static char narrow[8];

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *argument)
{
    pthread_mutex_lock(&lock);
    wcstombs(narrow, L"a", 8);
    pthread_mutex_unlock(&lock);
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
