// irkiss: --work 400k ; expect: none
//
// An index stays within its array: the member beside it is not meant.
#include <irkiss.h>
#include <pthread.h>

static struct {
    int value[4];
    int next;
} table;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *worker(void *unused)
{
    unsigned n = __irkiss_nondet_u32();
    pthread_mutex_lock(&lock);
    table.value[n] = 1;
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, worker, 0);
    pthread_create(&b, 0, worker, 0);
    table.next = 2;
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
