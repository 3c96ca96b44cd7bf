// irkiss: ; expect: race ; forms: nopass
// irkiss: --marked kcsan ; expect: none ; forms: nopass
//
// A flag that is only volatile: C11 says that its accesses race, the kernel's reading that they are marked.
#include <pthread.h>

static volatile int flag;

static void *worker(void *argument)
{
    flag = 1; // RACE@1
    return argument;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, worker, 0);
    return flag; // RACE@1
}
