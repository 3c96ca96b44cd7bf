/* Sets of semaphores (sysvipc(7)): those that were there before the program are not. All that one call does is one step (semop(2)). */
#include "irkiss_pthread.h"

#define SETS 4
#define MEMBERS 8
#define FIRST 3000
enum { EAGAIN = 11, CREATE = 01000, NO_WAIT = 04000, GET_VALUE = 12, SET_VALUE = 16, SET_ALL = 17 };

/* IRKISS_GHOST_SIGNALS at one of these is the value of that semaphore. */
static u8 members[SETS][MEMBERS];
static struct set {
    u32 key, count;
} sets[SETS];

static _Bool is_known(int set) { return set >= FIRST && set < FIRST + SETS; }
static u64 value_of(const u8 *member) { return __irkiss_ghost_get(member, IRKISS_GHOST_SIGNALS); }

/* Within a section. */
static void set_value(const u8 *member, u64 value)
{
    IRKISS_CHANGES(member, __irkiss_ghost_set(member, IRKISS_GHOST_SIGNALS, value));
}

IRKISS_ASSUMES("named-semaphores-new")
int semget(int key, int count, int flags)
{
    u32 place = SETS;
    if (count > MEMBERS)
        __irkiss_unsupported("a set of more than 8 semaphores");
    if (__irkiss_nondet_bool()) {
        irkiss_set_errno(13);
        return -1;
    }
    __irkiss_atomic_begin();
    IRKISS_TO_THE_END
    for (u32 n = 0; n < SETS; n++)
        if (key != 0 && sets[n].count && sets[n].key == (u32)key)
            place = n;
    if (place == SETS && count > 0 && (key == 0 || (flags & CREATE))) {
        place = !sets[0].count ? 0 : !sets[1].count ? 1 : !sets[2].count ? 2 : 3;
        if (sets[place].count)
            __irkiss_unsupported("more than 4 sets of semaphores");
        sets[place].count = (u32)count;
        sets[place].key = (u32)key;
    }
    __irkiss_atomic_end();
    return place == SETS ? -1 : FIRST + (int)place;
}

struct operation {
    u16 number;
    s16 step;
    s16 flags;
};

/* What the value becomes; negative: the caller waits for it, to be larger or to be zero. */
static s64 after(u64 value, struct operation one)
{
    if (one.step == 0)
        return value == 0 ? 0 : -1;
    return (s64)value + one.step;
}

#define MOST 4
/* As many as can be done: all, or the first that cannot. Within a section. */
static _Bool try_all(int set, const struct operation *all, u32 count)
{
    s64 new[MOST];
    _Bool can = 1;
    IRKISS_TO_THE_END
    for (u32 n = 0; n < MOST; n++) {
        if (n >= count)
            continue;
        new[n] = after(value_of(&members[set][all[n].number & (MEMBERS - 1)]), all[n]);
        can = can && new[n] >= 0;
    }
    IRKISS_TO_THE_END
    for (u32 n = 0; n < MOST; n++)
        if (can && n < count)
            set_value(&members[set][all[n].number & (MEMBERS - 1)], (u64)new[n]);
    return can;
}

int semop(int set, const struct operation *operations, usize count)
{
    struct operation all[MOST];
    _Bool done, waits;
    irkiss_signals();
    if (!is_known(set))
        return -1;
    if (count > MOST)
        __irkiss_unsupported("more than 4 operations on semaphores in one step");
    IRKISS_TO_THE_END
    for (u32 n = 0; n < MOST; n++)
        if (n < count)
            all[n] = operations[n];
    waits = !(all[0].flags & NO_WAIT);
    if (count == 1 && waits && all[0].step < 0)
        IRKISS_MAY_STAY(&members[set - FIRST][all[0].number & (MEMBERS - 1)], IRKISS_AWAITS_PERMIT,
                        value_of(&members[set - FIRST][all[0].number & (MEMBERS - 1)]) == 0);
    __irkiss_atomic_begin();
    done = try_all(set - FIRST, all, (u32)count);
    __irkiss_assume(done || !waits);
    __irkiss_atomic_end();
    if (done)
        return 0;
    irkiss_set_errno(EAGAIN);
    return -1;
}

int semtimedop(int set, const struct operation *operations, usize count, const void *limit)
{
    (void)limit;
    return __irkiss_nondet_bool() ? -1 : semop(set, operations, count);
}

/* The third argument is a union of a number and pointers. */
int semctl(int set, int number, int command, ...)
{
    __builtin_va_list rest;
    u64 value;
    if (!is_known(set) || number < 0 || number >= MEMBERS)
        return -1;
    const u8 *member = &members[set - FIRST][number];
    if (command == GET_VALUE) {
        IRKISS_ATOMIC(value = value_of(member));
        return (int)value;
    }
    if (command != SET_VALUE && command != SET_ALL) {
        if (command != 0)
            __irkiss_gap("a command for a set of semaphores");
        return __irkiss_nondet_bool() ? -1 : 0;
    }
    __builtin_va_start(rest, command);
    if (command == SET_VALUE) {
        void *whole = __builtin_va_arg(rest, void *);
        u32 new;
        __builtin_memcpy(&new, &whole, sizeof new);
        IRKISS_ATOMIC(set_value(member, new));
    } else {
        const u16 *new = __builtin_va_arg(rest, const u16 *);
        IRKISS_TO_THE_END
        for (u32 n = 0; n < MEMBERS; n++)
            if (n < sets[set - FIRST].count)
                IRKISS_ATOMIC(set_value(&members[set - FIRST][n], new[n]));
    }
    __builtin_va_end(rest);
    return 0;
}
