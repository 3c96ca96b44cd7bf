// irkiss: ; expect: race ; forms: nopass ; lazy: yes
//
// getenv looks through what setenv changes (POSIX: need not be thread-safe; glibc: MT-Safe env, so as long as nobody does).
#include <pthread.h>
#include <stdlib.h>

static int found;

static void *one(void *unused)
{
    found = getenv("HOME") != 0; // RACE
    return unused;
}

static void *other(void *unused)
{
    setenv("HOME", "/", 1); // RACE
    return unused;
}

int main(void)
{
    pthread_t a, b;

    pthread_create(&a, 0, one, 0);
    pthread_create(&b, 0, other, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
