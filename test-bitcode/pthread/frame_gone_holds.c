// irkiss: --property uaf ; expect: none ; forms: nopass ; lazy: yes
//
// The function waits for the thread that it has given a local variable.
#include <pthread.h>

static pthread_t child;

static void *work(void *number)
{
    return (void *)(long)*(int *)number;
}

static void begin(void)
{
    int number = 3;

    pthread_create(&child, 0, work, &number);
    pthread_join(child, 0);
}

int main(void)
{
    begin();
    return 0;
}
