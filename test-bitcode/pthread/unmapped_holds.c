// irkiss: --property uaf ; expect: none ; forms: nopass ; lazy: yes
//
// A mapping is there until the worker has looked; only a part of another one is gone.
#define _GNU_SOURCE
#include <pthread.h>
#include <sys/mman.h>

static void *work(void *area)
{
    return (void *)*(long *)area;
}

int main(void)
{
    pthread_t a;
    char *area = mmap(0, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (area == MAP_FAILED)
        return 1;
    pthread_create(&a, 0, work, area);
    munmap(area + 4096, 4096);
    pthread_join(a, 0);
    return 0;
}
