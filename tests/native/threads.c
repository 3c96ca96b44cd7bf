/* Small pthread programs: PROGRAM chooses one. Natively each prints its result; for irkiss the result must not be EXPECT,
 * so that an assertion fails exactly if EXPECT is a possible result. Accesses that race are atomic. */
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>

static atomic_int x, y;
static int plain;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
static sem_t sem;
static pthread_barrier_t barrier;

#if PROGRAM == 1 /* lost updates */
static void *worker(void *arg)
{
    int seen = atomic_load(&x);
    atomic_store(&x, seen + 1);
    return arg;
}
static int result(pthread_t t)
{
    int seen = atomic_load(&x);
    atomic_store(&x, seen + 2);
    pthread_join(t, 0);
    return atomic_load(&x);
}
#elif PROGRAM == 2 /* no lost updates */
static void *worker(void *arg)
{
    pthread_mutex_lock(&mutex);
    plain = plain * 2 + 1;
    pthread_mutex_unlock(&mutex);
    return arg;
}
static int result(pthread_t t)
{
    pthread_mutex_lock(&mutex);
    plain = plain * 2 + 2;
    pthread_mutex_unlock(&mutex);
    pthread_join(t, 0);
    return plain;
}
#elif PROGRAM == 3 /* condition variable */
static void *worker(void *arg)
{
    pthread_mutex_lock(&mutex);
    plain = 5;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&mutex);
    atomic_store(&x, 1);
    return arg;
}
static int result(pthread_t t)
{
    pthread_mutex_lock(&mutex);
    if (plain == 0)
        pthread_cond_wait(&changed, &mutex);
    int seen = plain + atomic_load(&x);
    pthread_mutex_unlock(&mutex);
    pthread_join(t, 0);
    return seen;
}
#elif PROGRAM == 4 /* trylock, and what a thread returns */
static void *worker(void *arg)
{
    long busy = 1;
    if (pthread_mutex_trylock(&mutex) == 0) {
        pthread_mutex_unlock(&mutex);
        busy = 0;
    }
    return (void *)(busy + 10);
}
static int result(pthread_t t)
{
    void *back;
    pthread_mutex_lock(&mutex);
    atomic_store(&x, 1);
    pthread_mutex_unlock(&mutex);
    pthread_join(t, &back);
    return (int)(long)back;
}
#elif PROGRAM == 5 /* store buffering: under sequential consistency one side sees the other */
static int other;
static void *worker(void *arg)
{
    atomic_store(&x, 1);
    other = atomic_load(&y);
    return arg;
}
static int result(pthread_t t)
{
    atomic_store(&y, 1);
    int seen = atomic_load(&x);
    pthread_join(t, 0);
    return seen * 2 + other;
}
#elif PROGRAM == 6 /* semaphore as a hand-over */
static void *worker(void *arg)
{
    atomic_store(&x, 1);
    sem_post(&sem);
    atomic_store(&x, 2);
    return arg;
}
static int result(pthread_t t)
{
    sem_wait(&sem);
    int seen = atomic_load(&x);
    pthread_join(t, 0);
    return seen;
}
#elif PROGRAM == 7 /* a reader beside a writer */
static void *worker(void *arg)
{
    pthread_rwlock_wrlock(&rw);
    plain = 1;
    plain = 2;
    pthread_rwlock_unlock(&rw);
    return arg;
}
static int result(pthread_t t)
{
    pthread_rwlock_rdlock(&rw);
    int seen = plain;
    pthread_rwlock_unlock(&rw);
    pthread_join(t, 0);
    return seen;
}
#elif PROGRAM == 8 /* barrier */
static void *worker(void *arg)
{
    atomic_store(&x, 1);
    pthread_barrier_wait(&barrier);
    atomic_store(&y, 1);
    return arg;
}
static int result(pthread_t t)
{
    pthread_barrier_wait(&barrier);
    int seen = atomic_load(&x) * 2 + atomic_load(&y);
    pthread_join(t, 0);
    return seen;
}
#endif

static int run(void)
{
    pthread_t t;
    sem_init(&sem, 0, 0);
    pthread_barrier_init(&barrier, 0, 2);
    pthread_create(&t, 0, worker, 0);
    return result(t);
}

#ifdef NATIVE
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
    /* Some delay before the first access, of a different length each time. */
    for (volatile long n = argc > 1 ? atol(argv[1]) : 0; n > 0; n--)
        ;
    printf("%d\n", run());
}
#else
void __irkiss_assert(_Bool, const char *);
int main(void)
{
    __irkiss_assert(run() != EXPECT, "");
    return 0;
}
#endif
