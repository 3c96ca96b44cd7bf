// irkiss: ; expect: none
//
// As loop_with_exit_racy.c, but all is done under the lock.
#include <irkiss.h>
#include <pthread.h>

static int row[4], broken, seen;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int measure(int n)
{
    int value = (int)__irkiss_nondet_u32();
    return n >= 0 ? value : -1;
}

static void *worker(void *unused)
{
    pthread_mutex_lock(&lock);
    for (int i = 0; i < 4; i++) {
        int value = measure(i);
        if (value < 0) {
            pthread_mutex_unlock(&lock);
            return NULL;
        }
        row[i] = value;
    }
    seen++;
    pthread_mutex_unlock(&lock);
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
