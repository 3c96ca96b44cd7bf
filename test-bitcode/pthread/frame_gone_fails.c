// irkiss: --property uaf ; expect: uaf ; forms: nopass ; lazy: yes
//
// A thread is given a local variable of a function that does not wait for it.
#include <pthread.h>

static pthread_t child;

static void *work(void *number)
{
    return (void *)(long)*(int *)number; // FREED
}

static void begin(void)
{
    int number = 3;

    pthread_create(&child, 0, work, &number);
}

int main(void)
{
    begin();
    pthread_join(child, 0);
    return 0;
}
