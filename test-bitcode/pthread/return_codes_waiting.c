// irkiss: ; expect: none
//
// As return_codes.c: spinlocks, reader-writer locks, barriers, semaphores, C11 mutexes.
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <threads.h>
#include <time.h>

static void others(void)
{
    struct timespec past = { 0, 0 };
    pthread_spinlock_t spin;
    pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
    pthread_barrier_t barrier;
    sem_t semaphore;
    int value;
    mtx_t mutex;

    assert(pthread_spin_init(&spin, 0) == 0);
    assert(pthread_spin_lock(&spin) == 0);
    assert(pthread_spin_trylock(&spin) == EBUSY);
    assert(pthread_spin_unlock(&spin) == 0);

    assert(pthread_rwlock_rdlock(&rw) == 0);
    assert(pthread_rwlock_tryrdlock(&rw) == 0);
    assert(pthread_rwlock_trywrlock(&rw) == EBUSY);
    assert(pthread_rwlock_unlock(&rw) == 0);
    assert(pthread_rwlock_unlock(&rw) == 0);
    assert(pthread_rwlock_wrlock(&rw) == 0);
    assert(pthread_rwlock_tryrdlock(&rw) == EBUSY);
    assert(pthread_rwlock_rdlock(&rw) == EDEADLK);
    assert(pthread_rwlock_wrlock(&rw) == EDEADLK);
    assert(pthread_rwlock_unlock(&rw) == 0);

    assert(pthread_barrier_init(&barrier, NULL, 0) == EINVAL);
    assert(pthread_barrier_init(&barrier, NULL, 1) == 0);
    assert(pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD);

    assert(sem_init(&semaphore, 0, 1) == 0);
    assert(sem_wait(&semaphore) == 0);
    assert(sem_trywait(&semaphore) == -1 && errno == EAGAIN);
    assert(sem_timedwait(&semaphore, &past) == -1 && errno == ETIMEDOUT);
    assert(sem_post(&semaphore) == 0);
    assert(sem_getvalue(&semaphore, &value) == 0 && value == 1);

    assert(mtx_init(&mutex, mtx_plain) == thrd_success);
    assert(mtx_lock(&mutex) == thrd_success);
    assert(mtx_trylock(&mutex) == thrd_busy);
    assert(mtx_unlock(&mutex) == thrd_success);
}

static void *worker(void *argument)
{
    return argument;
}

int main(void)
{
    pthread_t thread;
    void *result;

    others();
    assert(pthread_create(&thread, NULL, worker, &thread) == 0);
    assert(pthread_join(thread, &result) == 0);
    assert(result == &thread);
    return 0;
}
