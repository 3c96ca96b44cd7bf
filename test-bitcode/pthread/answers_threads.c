// irkiss: --work 400k ; expect: none ; forms: nopass ; lazy: yes
//
// Waits with an end, joins that may give up, ends of threads: what they answer, and that a mutex is held again after a wait.
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stddef.h>
#include <threads.h>
#include <time.h>

extern int yield(void) __asm__("pthread_yield");
// They do not return, however they are declared.
extern void leave(void *) __asm__("pthread_exit"), leave_by_iso(int) __asm__("thrd_exit");

static struct timespec now = { 0, 0 };

static void waits(void)
{
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
    mtx_t lock;
    cnd_t condition;
    int error;

    assert(pthread_mutex_lock(&mutex) == 0);
    assert(pthread_cond_wait(&cond, &mutex) == 0);
    error = pthread_cond_timedwait(&cond, &mutex, &now);
    assert(error == 0 || error == ETIMEDOUT);
    error = pthread_cond_clockwait(&cond, &mutex, CLOCK_MONOTONIC, &now);
    assert(error == 0 || error == ETIMEDOUT);
    assert(pthread_mutex_trylock(&mutex) == EBUSY);
    assert(pthread_mutex_clocklock(&mutex, CLOCK_MONOTONIC, &now) == ETIMEDOUT);
    assert(mtx_init(&lock, mtx_timed) == thrd_success && cnd_init(&condition) == thrd_success);
    assert(mtx_timedlock(&lock, &now) == thrd_success);
    assert(cnd_wait(&condition, &lock) == thrd_success);
    error = cnd_timedwait(&condition, &lock, &now);
    assert(error == thrd_success || error == thrd_timedout);
    assert(mtx_timedlock(&lock, &now) == thrd_timedout);
}

static void locks(void)
{
    pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
    pthread_barrier_t barrier;
    sem_t semaphore;
    sigset_t set;

    assert(pthread_rwlock_timedrdlock(&rwlock, &now) == 0);
    assert(pthread_rwlock_timedwrlock(&rwlock, &now) == ETIMEDOUT);
    assert(pthread_rwlock_unlock(&rwlock) == 0 && pthread_rwlock_timedwrlock(&rwlock, &now) == 0);
    assert(pthread_rwlock_timedrdlock(&rwlock, &now) == ETIMEDOUT);
    assert(sem_init(&semaphore, 0, 1) == 0 && sem_clockwait(&semaphore, CLOCK_MONOTONIC, &now) == 0);
    assert(sem_clockwait(&semaphore, CLOCK_MONOTONIC, &now) == -1 && errno == ETIMEDOUT);
    assert(sem_destroy(&semaphore) == 0);
    assert(pthread_barrier_init(&barrier, NULL, 1) == 0 && pthread_barrier_destroy(&barrier) == 0);
    assert(pthread_sigmask(SIG_BLOCK, NULL, &set) == 0 && yield() == 0);
}

static void unreached(void *value)
{
    assert(!value);
}

static void *worker(void *argument)
{
    tss_t key;
    // Who deletes a key is responsible for what is left.
    assert(tss_create(&key, unreached) == thrd_success && tss_set(key, argument) == thrd_success);
    tss_delete(key);
    leave(&now);
    assert(!argument);
    return NULL;
}

static int worker_by_iso(void *argument)
{
    leave_by_iso(7);
    assert(!argument);
    return 0;
}

int main(void)
{
    pthread_t first, second;
    thrd_t third;
    void *result = NULL;
    int error, number = 0;

    waits();
    locks();
    assert(pthread_create(&first, NULL, worker, &now) == 0 && pthread_create(&second, NULL, worker, &now) == 0);
    error = pthread_tryjoin_np(first, &result);
    assert(error ? error == EBUSY && !result : result == &now);
    result = NULL;
    error = pthread_timedjoin_np(second, &result, &now);
    assert(error ? error == ETIMEDOUT && !result : result == &now);
    assert(thrd_create(&third, worker_by_iso, &now) == thrd_success);
    assert(thrd_join(third, &number) == thrd_success && number == 7);
    assert(thrd_detach(second) == thrd_success);
    return 0;
}
