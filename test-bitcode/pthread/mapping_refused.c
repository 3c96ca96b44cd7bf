// irkiss: ; expect: assert ; forms: nopass ; lazy: yes
//
// Where the program looks at the result, a mapping may fail.
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <sys/mman.h>

static int failed;

static void *work(void *argument)
{
    char *area = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (area == MAP_FAILED)
        failed = 1;
    else
        area[4095] = 1;
    return argument;
}

int main(void)
{
    pthread_t a;

    pthread_create(&a, 0, work, 0);
    pthread_join(a, 0);
    assert(!failed); // ASSERT-FAILS
    return 0;
}
