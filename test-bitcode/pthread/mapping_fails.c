// irkiss: ; expect: assert ; forms: nopass ; lazy: yes
//
// What a file has in it is anything.
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <sys/mman.h>

static void *work(void *area)
{
    assert(*(long *)area == 0); // ASSERT-FAILS
    return area;
}

int main(void)
{
    pthread_t a;
    char *area = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE, 3, 0);
    int failed = area == MAP_FAILED;

    if (failed)
        return 1;
    pthread_create(&a, 0, work, area);
    pthread_join(a, 0);
    return 0;
}
