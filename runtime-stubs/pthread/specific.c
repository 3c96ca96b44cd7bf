/* Thread-specific data (pthread_key_create, pthread_setspecific): up to four keys; errno. */
#include "irkiss_pthread.h"

#define KEYS 4

static void (*destructors[KEYS])(void *);
static u32 keys;
static void *values[IRKISS_MAX_THREADS][KEYS];

IRKISS_ASSUMES("settings-accepted") IRKISS_ASSUMES("key-destructor-rounds")
int pthread_key_create(unsigned *key, void (*destructor)(void *))
{
    __irkiss_atomic_begin();
    u32 number = keys;
    if (number >= KEYS)
        __irkiss_exceeded("more than 4 keys of thread-specific data");
    destructors[number % KEYS] = destructor;
    keys = number + 1;
    __irkiss_atomic_end();
    *key = number;
    return 0;
}

/* Keys are not reused. */
int pthread_key_delete(unsigned key)
{
    if (key >= KEYS)
        return IRKISS_EINVAL;
    IRKISS_ATOMIC(destructors[key] = NULL);
    return 0;
}

int pthread_setspecific(unsigned key, const void *value)
{
    if (key >= KEYS)
        return IRKISS_EINVAL;
    IRKISS_ATOMIC(values[__irkiss_self()][key] = (void *)value);
    return 0;
}

void *pthread_getspecific(unsigned key)
{
    void *value;
    if (key >= KEYS)
        return NULL;
    IRKISS_ATOMIC(value = values[__irkiss_self()][key]);
    return value;
}

/* Whether there was something to destroy. */
static _Bool destroy(u32 key)
{
    void (*destructor)(void *);
    void *value;
    __irkiss_atomic_begin();
    destructor = destructors[key];
    value = values[__irkiss_self()][key];
    values[__irkiss_self()][key] = NULL;
    __irkiss_atomic_end();
    if (!destructor || !value)
        return 0;
    destructor(value);
    return 1;
}

/* In order of creation. */
static _Bool destroy_all(u32 used)
{
    _Bool any = 0;
    if (used > 0)
        any = destroy(0);
    if (used > 1)
        any |= destroy(1);
    if (used > 2)
        any |= destroy(2);
    if (used > 3)
        any |= destroy(3);
    return any;
}

/* Destructors may set values again: glibc and musl go through them PTHREAD_DESTRUCTOR_ITERATIONS times, and then leave what there is
 * (POSIX allows more). Without keys (the usual case) one step that changes nothing. */
#define ROUNDS 4

void irkiss_run_key_destructors(void)
{
    u32 used;
    IRKISS_ATOMIC(used = keys);
    if (used == 0)
        return;
    IRKISS_TO_THE_END
    for (u32 round = 0; round < ROUNDS; round++)
        if (!destroy_all(used))
            return;
}

/* One errno for each thread. */
static int error_numbers[IRKISS_MAX_THREADS];

int *__errno_location(void)
{
    return &error_numbers[__irkiss_self() % IRKISS_MAX_THREADS];
}

void irkiss_set_errno(int number)
{
    IRKISS_ATOMIC(*__errno_location() = number);
}
