// irkiss: ; expect: none ; forms: nopass ; lazy: yes
//
// A mapping without a file is zero.
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <sys/mman.h>

static void *work(void *area)
{
    assert(*(long *)area == 0);
    return area;
}

int main(void)
{
    pthread_t a;
    char *area = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    int failed = area == MAP_FAILED;

    if (failed)
        return 1;
    pthread_create(&a, 0, work, area);
    pthread_join(a, 0);
    return 0;
}
