/* Variables of each thread that C++ destroys at its end (Itanium C++ ABI, 3.3.6: __cxa_thread_atexit): before what POSIX destroys (glibc:
 * __call_tls_dtors), the last one first. Up to four of one thread. */
#include "irkiss_pthread.h"

#define LOCALS 4

static struct local {
    void (*destroy)(void *);
    void *object;
} locals[IRKISS_MAX_THREADS][LOCALS];
static u32 counts[IRKISS_MAX_THREADS];

int __cxa_thread_atexit(void (*destroy)(void *), void *object, void *unused)
{
    u64 self = __irkiss_self() % IRKISS_MAX_THREADS;
    (void)unused;
    __irkiss_atomic_begin();
    u32 place = counts[self];
    if (place >= LOCALS)
        __irkiss_exceeded("more than 4 variables of a thread with destructors");
    locals[self][place % LOCALS] = (struct local){ destroy, object };
    counts[self] = place + 1;
    __irkiss_atomic_end();
    return 0;
}

/* A destructor may have more destroyed: whatever is there last. */
static _Bool destroy_last(void)
{
    struct local last = { NULL, NULL };
    u64 self = __irkiss_self() % IRKISS_MAX_THREADS;
    __irkiss_atomic_begin();
    u32 count = counts[self];
    if (count != 0) {
        counts[self] = count - 1;
        last = locals[self][(count - 1) % LOCALS];
    }
    __irkiss_atomic_end();
    if (!last.destroy)
        return 0;
    last.destroy(last.object);
    return 1;
}

void irkiss_destroy_thread_locals(void)
{
    IRKISS_TO_THE_END
    for (u32 n = 0; n <= LOCALS; n++)
        if (!destroy_last())
            return;
    __irkiss_exceeded("destructors that have more destroyed");
}
