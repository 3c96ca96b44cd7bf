/* C11 threads, by the POSIX models. */
#include "irkiss_pthread.h"

/* glibc's numbers. */
enum { SUCCESS = 0, BUSY = 1, ERROR = 2, TIMEDOUT = 4 };
enum { MTX_RECURSIVE = 1 };

int nanosleep(const void *duration, void *remaining);

struct start {
    int (*routine)(void *);
    void *argument;
};

static void *trampoline(void *cell)
{
    struct start *start = cell;
    int (*routine)(void *);
    void *argument;
    __irkiss_atomic_begin();
    routine = start->routine;
    argument = start->argument;
    __irkiss_atomic_end();
    return (void *)(ssize)routine(argument);
}

int thrd_create(irkiss_thread *thread, int (*routine)(void *), void *argument)
{
    struct start *start = __irkiss_alloc(sizeof *start, 0);
    __irkiss_atomic_begin();
    start->routine = routine;
    start->argument = argument;
    __irkiss_atomic_end();
    return pthread_create(thread, NULL, trampoline, start) == 0 ? SUCCESS : ERROR;
}

int thrd_join(irkiss_thread thread, int *result)
{
    void *value = NULL;
    if (pthread_join(thread, &value) != 0)
        return ERROR;
    if (result)
        *result = (int)(ssize)value;
    return SUCCESS;
}

__attribute__((noreturn)) void thrd_exit(int result) { pthread_exit((void *)(ssize)result); }
irkiss_thread thrd_current(void) { return pthread_self(); }
int thrd_equal(irkiss_thread a, irkiss_thread b) { return a == b; }
int thrd_detach(irkiss_thread thread) { (void)thread; return SUCCESS; }
void thrd_yield(void) {}
int thrd_sleep(const void *duration, void *remaining) { return nanosleep(duration, remaining); }
void call_once(void *once, void (*routine)(void)) { pthread_once(once, routine); }

IRKISS_ASSUMES("settings-accepted")
int mtx_init(void *mutex, int type)
{
    pthread_mutex_init(mutex, NULL);
    /* The POSIX model's numbers: 1 is recursive, 0 normal. */
    IRKISS_ATOMIC(__irkiss_ghost_set(mutex, IRKISS_GHOST_KIND, type & MTX_RECURSIVE));
    return SUCCESS;
}

/* No use after it is looked for. */
void mtx_destroy(void *mutex) { (void)mutex; }
int mtx_lock(void *mutex) { return pthread_mutex_lock(mutex) == 0 ? SUCCESS : ERROR; }
int mtx_trylock(void *mutex) { return pthread_mutex_trylock(mutex) == 0 ? SUCCESS : BUSY; }
int mtx_unlock(void *mutex) { return pthread_mutex_unlock(mutex) == 0 ? SUCCESS : ERROR; }

int mtx_timedlock(void *mutex, const void *deadline)
{
    (void)deadline;
    return pthread_mutex_trylock(mutex) == 0 ? SUCCESS : TIMEDOUT;
}

IRKISS_ASSUMES("settings-accepted")
int cnd_init(void *cond) { (void)cond; return SUCCESS; }
void cnd_destroy(void *cond) { (void)cond; }
int cnd_signal(void *cond) { return pthread_cond_signal(cond) == 0 ? SUCCESS : ERROR; }
int cnd_broadcast(void *cond) { return pthread_cond_broadcast(cond) == 0 ? SUCCESS : ERROR; }

int cnd_wait(void *cond, void *mutex)
{
    pthread_cond_wait(cond, mutex);
    return SUCCESS;
}

int cnd_timedwait(void *cond, void *mutex, const void *deadline)
{
    return pthread_cond_timedwait(cond, mutex, deadline) == 0 ? SUCCESS : TIMEDOUT;
}

int tss_create(unsigned *key, void (*destructor)(void *))
{
    return pthread_key_create(key, destructor) == 0 ? SUCCESS : ERROR;
}

void tss_delete(unsigned key) { pthread_key_delete(key); }
int tss_set(unsigned key, void *value) { return pthread_setspecific(key, value) == 0 ? SUCCESS : ERROR; }
void *tss_get(unsigned key) { return pthread_getspecific(key); }
