// irkiss: --property uaf ; expect: none ; forms: nopass ; lazy: yes
//
// What a thread leaves behind is no local variable of it; the one that it was given is of main, which waits.
#include <pthread.h>

static int kept;

static void *leaves(void *argument)
{
    kept = *(int *)argument;
    pthread_exit(&kept);
}

int main(void)
{
    pthread_t a;
    int given = 4;
    void *result;

    pthread_create(&a, 0, leaves, &given);
    pthread_join(a, &result);
    return *(int *)result;
}
