// irkiss: --property uaf ; expect: uaf ; forms: nopass ; lazy: yes
//
// A mapping is gone before the worker has looked.
#define _GNU_SOURCE
#include <pthread.h>
#include <sys/mman.h>

static void *work(void *area)
{
    return (void *)*(long *)area; // FREED
}

int main(void)
{
    pthread_t a;
    char *area = mmap(0, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (area == MAP_FAILED)
        return 1;
    pthread_create(&a, 0, work, area);
    munmap(area, 8192);
    pthread_join(a, 0);
    return 0;
}
