// irkiss: --property uaf ; expect: none ; forms: nopass ; lazy: yes
//
// As stream_closed_own_fails.c, but it is closed at the end.
#include <pthread.h>
#include <stdio.h>

static void *uses(void *unused)
{
    FILE *file = tmpfile();

    if (!file)
        return unused;
    if (getc(file) == 'a')
        puts("a");
    fclose(file);
    return unused;
}

int main(void)
{
    pthread_t a;

    pthread_create(&a, 0, uses, 0);
    pthread_join(a, 0);
    return 0;
}
