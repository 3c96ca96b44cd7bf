// irkiss: ; expect: race ; forms: nopass ; lazy: yes
//
// strtok remembers where it goes on, for all threads (POSIX: need not be thread-safe; glibc: MT-Unsafe race:strtok).
#include <pthread.h>
#include <string.h>

static char left[8] = "a b", right[8] = "c,d";

static void *one(void *unused)
{
    strtok(left, " "); // RACE
    return unused;
}

static void *other(void *unused)
{
    strtok(right, ","); // RACE
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
