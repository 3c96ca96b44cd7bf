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
int pthread_join(irkiss_thread thread, void **result);
irkiss_thread pthread_self(void);
__attribute__((noreturn)) void pthread_exit(void *result);
void irkiss_run_key_destructors(void);

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

int *__errno_location(void);

#endif
