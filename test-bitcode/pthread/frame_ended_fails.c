// irkiss: --property uaf ; expect: uaf ; forms: nopass ; lazy: yes
//
// Main reads a local variable of a thread that has ended.
#include <pthread.h>

static void *leaves(void *argument)
{
    int result = 4;

    (void)argument;
    pthread_exit(&result);
}

int main(void)
{
    pthread_t a;
    void *result;

    pthread_create(&a, 0, leaves, 0);
    pthread_join(a, &result);
    return *(int *)result; // FREED
}
