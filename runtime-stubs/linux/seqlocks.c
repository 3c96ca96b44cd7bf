/* Sequence counters (include/linux/seqlock.h): a reader that met a writer reads again, so that what it read beside one is never used.
 *
 * Executions in which a reader has to begin again are left out: a reader enters when no writer is in, and a writer waits for the
 * readers. That keeps readers and writers apart and no two writers, who need a lock of their own. The waiting is none of the
 * kernel's: it is asked for no deadlock.
 *
 * Deviates: a reader that leaves without asking whether it has to read again keeps writers out from then on. Copies that writers
 * switch (seqcount_latch_t) are not modelled: the reads there are what they are in C.
 */
#include "irkiss_linux.h"

enum {
    READERS = IRKISS_GHOST_COUNT,
    WRITERS = IRKISS_GHOST_LIMIT,
};

/* Whether this thread is a reader of it. */
static u32 own_key(void)
{
    return IRKISS_GHOST_SEQUENCE_READER + (u32)(__irkiss_self() & 63);
}

/* An even number: no writer is in. */
static unsigned begin(const void *s)
{
    u32 key = own_key();
    __irkiss_atomic_begin();
    __irkiss_assume(__irkiss_ghost_get(s, WRITERS) == 0);
    if (__irkiss_ghost_get(s, key) == 0) {
        __irkiss_ghost_set(s, key, 1);
        __irkiss_ghost_set(s, READERS, __irkiss_ghost_get(s, READERS) + 1);
    }
    __irkiss_atomic_end();
    return __irkiss_nondet_u32() & ~1u;
}

unsigned irkiss_model____seqprop_sequence(const void *s)
{
    return begin(s);
}

unsigned irkiss_model____seqprop_raw_spinlock_sequence(const void *s)
{
    return begin(s);
}

unsigned irkiss_model____seqprop_spinlock_sequence(const void *s)
{
    return begin(s);
}

unsigned irkiss_model____seqprop_rwlock_sequence(const void *s)
{
    return begin(s);
}

unsigned irkiss_model____seqprop_mutex_sequence(const void *s)
{
    return begin(s);
}

/* Who has not begun asks whether anything was written since he looked last. */
int irkiss_model__do___read_seqcount_retry(const void *s, unsigned)
{
    u32 key = own_key();
    _Bool again;
    __irkiss_atomic_begin();
    again = __irkiss_ghost_get(s, key) == 0 && __irkiss_nondet_bool();
    if (__irkiss_ghost_get(s, key) != 0) {
        __irkiss_ghost_set(s, key, 0);
        __irkiss_ghost_set(s, READERS, __irkiss_ghost_get(s, READERS) - 1);
    }
    __irkiss_atomic_end();
    return again;
}

void irkiss_model__do_raw_write_seqcount_begin(void *s)
{
    __irkiss_atomic_begin();
    __irkiss_assume(__irkiss_ghost_get(s, READERS) == (__irkiss_ghost_get(s, own_key()) != 0));
    __irkiss_ghost_set(s, WRITERS, __irkiss_ghost_get(s, WRITERS) + 1);
    __irkiss_atomic_end();
}

void irkiss_model__do_raw_write_seqcount_end(void *s)
{
    IRKISS_ATOMIC(__irkiss_ghost_set(s, WRITERS, __irkiss_ghost_get(s, WRITERS) - 1));
}
