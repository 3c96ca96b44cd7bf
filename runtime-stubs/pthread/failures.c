/* What may fail, where the program looks at the result (src/frontend/close/results.rs): `irkiss_asked__NAME` is the model of
 * such calls of NAME. Elsewhere success is taken for granted. */
#include "irkiss_pthread.h"

char *strdup(const char *s);
char *strndup(const char *s, usize most);
int thrd_create(irkiss_thread *thread, int (*routine)(void *), void *argument);
int mtx_init(void *mutex, int type);
int cnd_init(void *cond);
int tss_create(unsigned *key, void (*destructor)(void *));
int setenv(const char *name, const char *value, int overwrite);
int putenv(char *string);

enum { ENOMEM = 12, EINTR = 4, ENOSPC = 28 };
/* glibc's numbers of C11 threads. */
enum { THRD_ERROR = 2, THRD_NOMEM = 3 };

static _Bool fails(int number)
{
    if (!__irkiss_nondet_bool())
        return 0;
    irkiss_set_errno(number);
    return 1;
}

/* ---- Memory. ---- */
static void *allocate(usize size, _Bool zero) { return fails(ENOMEM) ? NULL : irkiss_allocate(size, zero); }
void *irkiss_asked__malloc(usize size) { return allocate(size, 0); }
void *irkiss_asked__calloc(usize count, usize size) { return allocate(count * size, 1); }
void *irkiss_asked__aligned_alloc(usize alignment, usize size) { (void)alignment; return allocate(size, 0); }
void *irkiss_asked__memalign(usize alignment, usize size) { (void)alignment; return allocate(size, 0); }
void *irkiss_asked__valloc(usize size) { return allocate(size, 0); }
/* What it was given stays as it is. */
void *irkiss_asked__realloc(void *old, usize size) { return fails(ENOMEM) ? NULL : irkiss_reallocate(old, size); }
void *irkiss_asked__reallocarray(void *old, usize count, usize size) { return irkiss_asked__realloc(old, count * size); }
char *irkiss_asked__strdup(const char *s) { return fails(ENOMEM) ? NULL : strdup(s); }
char *irkiss_asked__strndup(const char *s, usize most) { return fails(ENOMEM) ? NULL : strndup(s, most); }

int irkiss_asked__posix_memalign(void **object, usize alignment, usize size)
{
    (void)alignment;
    if (__irkiss_nondet_bool())
        return ENOMEM;
    *object = irkiss_allocate(size, 0);
    return 0;
}

/* ---- Threads, and what they share. ---- */
int irkiss_asked__pthread_create(irkiss_thread *thread, const void *attributes, void *(*start)(void *), void *argument)
{
    (void)attributes;
    return __irkiss_nondet_bool() ? IRKISS_EAGAIN : irkiss_start_thread(thread, start, argument);
}

int irkiss_asked__thrd_create(irkiss_thread *thread, int (*routine)(void *), void *argument)
{
    return __irkiss_nondet_bool() ? THRD_NOMEM : thrd_create(thread, routine, argument);
}

int irkiss_asked__pthread_mutex_init(void *mutex, const void *attributes)
{
    return __irkiss_nondet_bool() ? ENOMEM : pthread_mutex_init(mutex, attributes);
}

int irkiss_asked__pthread_cond_init(void *cond, const void *attributes)
{
    return __irkiss_nondet_bool() ? ENOMEM : pthread_cond_init(cond, attributes);
}

int irkiss_asked__pthread_rwlock_init(void *lock, const void *attributes)
{
    return __irkiss_nondet_bool() ? ENOMEM : pthread_rwlock_init(lock, attributes);
}

int irkiss_asked__pthread_barrier_init(void *barrier, const void *attributes, unsigned parties)
{
    return __irkiss_nondet_bool() ? ENOMEM : pthread_barrier_init(barrier, attributes, parties);
}

int irkiss_asked__pthread_spin_init(void *lock, int shared)
{
    return __irkiss_nondet_bool() ? ENOMEM : pthread_spin_init(lock, shared);
}

int irkiss_asked__pthread_key_create(unsigned *key, void (*destructor)(void *))
{
    return __irkiss_nondet_bool() ? IRKISS_EAGAIN : pthread_key_create(key, destructor);
}

int irkiss_asked__pthread_setspecific(unsigned key, const void *value)
{
    return __irkiss_nondet_bool() ? ENOMEM : pthread_setspecific(key, value);
}

int irkiss_asked__sem_init(void *semaphore, int shared, unsigned value)
{
    return fails(ENOSPC) ? -1 : sem_init(semaphore, shared, value);
}

int irkiss_asked__mtx_init(void *mutex, int type) { return __irkiss_nondet_bool() ? THRD_ERROR : mtx_init(mutex, type); }
int irkiss_asked__cnd_init(void *cond) { return __irkiss_nondet_bool() ? THRD_NOMEM : cnd_init(cond); }
int irkiss_asked__tss_create(unsigned *key, void (*destructor)(void *))
{
    return __irkiss_nondet_bool() ? THRD_ERROR : tss_create(key, destructor);
}

int irkiss_asked__setenv(const char *name, const char *value, int overwrite)
{
    return fails(ENOMEM) ? -1 : setenv(name, value, overwrite);
}

int irkiss_asked__putenv(char *string) { return fails(ENOMEM) ? -1 : putenv(string); }

/* ---- Waits that a signal may cut short. ---- */
unsigned irkiss_asked__sleep(unsigned seconds)
{
    u32 left = __irkiss_nondet_u32();
    return left < seconds ? left : 0;
}

int irkiss_asked__usleep(unsigned microseconds) { (void)microseconds; return fails(EINTR) ? -1 : 0; }

/* struct timespec: two longs. */
static void what_is_left(void *remaining)
{
    if (remaining)
        __irkiss_havoc(remaining, 2 * sizeof(long));
}

int irkiss_asked__nanosleep(const void *duration, void *remaining)
{
    (void)duration;
    if (!fails(EINTR))
        return 0;
    what_is_left(remaining);
    return -1;
}

int irkiss_asked__clock_nanosleep(int clock, int flags, const void *duration, void *remaining)
{
    (void)clock, (void)duration;
    if (!__irkiss_nondet_bool())
        return 0;
    /* TIMER_ABSTIME */
    if ((flags & 1) == 0)
        what_is_left(remaining);
    return EINTR;
}

int irkiss_asked__thrd_sleep(const void *duration, void *remaining)
{
    (void)duration;
    if (!__irkiss_nondet_bool())
        return 0;
    what_is_left(remaining);
    return -1;
}

/* A thread waits until it is interrupted, or there is a permit. */
int irkiss_asked__sem_wait(void *semaphore)
{
    return irkiss_handles_signals() && fails(EINTR) ? -1 : sem_wait(semaphore);
}
