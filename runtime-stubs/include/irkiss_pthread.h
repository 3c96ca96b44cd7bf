/* What the models of POSIX and C11 threads share. All state is ghost state at the object's address (irkiss_internal.h);
 * the objects' own bytes are read only to recognise glibc's static initialisers, and never written. */
#ifndef IRKISS_PTHREAD_H
#define IRKISS_PTHREAD_H

#include "irkiss_internal.h"

/* glibc's error numbers, the same on all its architectures that have models here. */
enum {
    IRKISS_EPERM = 1,
    IRKISS_ESRCH = 3,
    IRKISS_EAGAIN = 11,
    IRKISS_EBUSY = 16,
    IRKISS_EINVAL = 22,
    IRKISS_EDEADLK = 35,
    IRKISS_ETIMEDOUT = 110,
};

/* Threads with a record; more of them are unsupported. */
#define IRKISS_MAX_THREADS 64

/* glibc's pthread_t: here the thread's number + 1, so that 0 is no thread. */
typedef unsigned long irkiss_thread;

int pthread_create(irkiss_thread *thread, const void *attributes, void *(*start)(void *), void *argument);
int irkiss_start_thread(irkiss_thread *thread, void *(*start)(void *), void *argument);
int pthread_join(irkiss_thread thread, void **result);
irkiss_thread pthread_self(void);
__attribute__((noreturn)) void pthread_exit(void *result);
void irkiss_run_key_destructors(void);
/* Before a thread ends by itself or is cancelled: nothing in programs without cleanup handlers. */
void irkiss_run_cleanup_handlers(void);

int pthread_mutex_init(void *mutex, const void *attributes);
int pthread_mutex_destroy(void *mutex);
int pthread_mutex_lock(void *mutex);
int pthread_mutex_trylock(void *mutex);
int pthread_mutex_unlock(void *mutex);
/* Gives up the mutex for a wait and returns how often it was held; takes it again as often. Each is a step. */
u64 irkiss_mutex_release(void *mutex);
void irkiss_mutex_retake(void *mutex, u64 depth);

int pthread_once(void *once, void (*routine)(void));
int pthread_key_create(unsigned *key, void (*destructor)(void *));
int pthread_key_delete(unsigned key);
int pthread_setspecific(unsigned key, const void *value);
void *pthread_getspecific(unsigned key);

int pthread_cond_wait(void *cond, void *mutex);
int pthread_cond_init(void *cond, const void *attributes);
int pthread_rwlock_init(void *lock, const void *attributes);
int pthread_barrier_init(void *barrier, const void *attributes, unsigned parties);
int pthread_spin_init(void *lock, int shared);
int sem_init(void *semaphore, int shared, unsigned value);
int sem_wait(void *semaphore);

/* They do not fail. */
void *irkiss_allocate(usize size, _Bool zero);
void *irkiss_reallocate(void *old, usize size);

int *__errno_location(void);
/* Sets the calling thread's errno. */
void irkiss_set_errno(int number);
/* Where a thread may be cancelled: nothing in programs without pthread_cancel. */
void irkiss_cancellation_point(void);
/* Where a thread waits and a handler of a signal may run on it: nothing in programs without handlers. */
void irkiss_signals(void);
/* Whether there are handlers. */
_Bool irkiss_handles_signals(void);

#endif
