// irkiss: ; expect: race ; forms: nopass
//
// After assembly that is not known executions go on: what comes after it races.
#include <pthread.h>

static int before, after;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *worker(void *unused)
{
    pthread_mutex_lock(&lock);
    before++;
    pthread_mutex_unlock(&lock);
    unsigned long x = 1;
    __asm__ volatile("aeskeygenassist $0, %%xmm0, %%xmm1; mov %%rsp, %0" : "=r"(x) : : "xmm1");
    if (x)
        after++; // RACE
    return unused;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, worker, 0);
    pthread_create(&b, 0, worker, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
