// irkiss: --property uaf ; expect: uaf ; forms: nopass ; lazy: yes
//
// A stream is used after the thread itself has closed it.
#include <pthread.h>
#include <stdio.h>

static void *uses(void *unused)
{
    FILE *file = tmpfile();

    if (!file)
        return unused;
    fclose(file);
    if (getc(file) == 'a') // FREED
        puts("a");
    return unused;
}

int main(void)
{
    pthread_t a;

    pthread_create(&a, 0, uses, 0);
    pthread_join(a, 0);
    return 0;
}
