/* Properties beyond races: what the harness says of entry points, and the checks that models of other functions begin with
 * (checked.toml). Locks have theirs in locks.c and rwlocks.c. */
#include "irkiss_linux.h"

const u8 __irkiss_thread_state = 0;

/* Whether the module is still there, or the kernel has ended this before it let the module go. Within an atomic section. */
static _Bool may_run(void)
{
    return __irkiss_ghost_get(&__irkiss_thread_state, IRKISS_GHOST_UNLOADED) == 0 || irkiss_state(IRKISS_GHOST_EXEMPT) != 0;
}

/* Called by the harness: a handler runs in the place of a worker, while this thread waits for it. */
void __irkiss_stand_in(_Bool begins)
{
    if (__irkiss_property(IRKISS_LOCKS))
        irkiss_count(IRKISS_GHOST_STANDS_IN, begins ? 1 : ~0ull);
}

/* Called by the harness around an entry point. `context`: 0 a thread, 1 in a softirq, 2 in an interrupt. `kind`: bits of enum
 * irkiss_entry. What is returned is for __irkiss_leave. */
u64 __irkiss_enter(u32 context, u32 kind)
{
    if (__irkiss_property(IRKISS_REMOVED)) {
        irkiss_set_state(IRKISS_GHOST_EXEMPT, (kind & IRKISS_ENDS_BEFORE) != 0);
        irkiss_set_state(IRKISS_GHOST_TURNED_OFF, 0);
        if ((kind & IRKISS_CODE_STAYS) == 0)
            IRKISS_ATOMIC(__irkiss_check(IRKISS_USE_AFTER_REMOVAL, may_run(), NULL));
    }
    if (__irkiss_property(IRKISS_DEADLOCK)) {
        u64 now = __irkiss_ghost_get(&__irkiss_thread_state, IRKISS_GHOST_CLOCK) + 1;
        __irkiss_ghost_set(&__irkiss_thread_state, IRKISS_GHOST_CLOCK, now);
        irkiss_set_state(IRKISS_GHOST_BEGAN, now);
    }
    if (__irkiss_property(IRKISS_LOCKS)) {
        irkiss_set_state(IRKISS_GHOST_LEVEL, context);
        irkiss_set_state(IRKISS_GHOST_CONTRACT, kind & IRKISS_HANDS_OVER);
    }
    if (context != 0)
        irkiss_stay_awake();
    if (kind & (IRKISS_SPINS | IRKISS_SPINS_IRQ | IRKISS_AWAKE))
        irkiss_stay_awake();
    if (kind & IRKISS_SPINS_BH)
        irkiss_no_softirqs();
    if (context == 2 || (kind & IRKISS_SPINS_IRQ))
        irkiss_quiet(1);
    return irkiss_state(IRKISS_GHOST_HELD);
}

void __irkiss_leave(u64 held, u32 context, u32 kind)
{
    if (__irkiss_property(IRKISS_LOCK_MISUSE)) {
        if ((kind & IRKISS_HANDS_OVER) == 0)
            IRKISS_ATOMIC(__irkiss_check(IRKISS_RETURN_WITH_LOCK_HELD, (s64)(irkiss_state(IRKISS_GHOST_HELD) - held) <= 0, NULL));
    }
    if (__irkiss_property(IRKISS_LOCKS)) {
        irkiss_set_state(IRKISS_GHOST_LEVEL, 0);
        irkiss_set_state(IRKISS_GHOST_CONTRACT, 0);
    }
    if (context != 0)
        irkiss_may_sleep();
    if (kind & (IRKISS_SPINS | IRKISS_SPINS_IRQ | IRKISS_AWAKE))
        irkiss_may_sleep();
    if (kind & IRKISS_SPINS_BH)
        irkiss_softirqs();
    if ((context == 2 || (kind & IRKISS_SPINS_IRQ)) && (kind & IRKISS_STAYS_QUIET) == 0)
        irkiss_quiet(0);
    if (__irkiss_property(IRKISS_REMOVED)) {
        __irkiss_atomic_begin();
        /* What runs where nobody may sleep is over before the code goes: kernel/module/main.c: free_module calls synchronize_rcu()
         * after module exit and before it frees the memory. */
        if (context == 0 && (kind & IRKISS_CODE_STAYS) == 0)
            __irkiss_check(IRKISS_USE_AFTER_REMOVAL, may_run(), NULL);
        if (kind & IRKISS_REMOVES_DEVICE)
            __irkiss_ghost_set(&__irkiss_thread_state, IRKISS_GHOST_DEVICE_GONE, irkiss_me());
        if (kind & IRKISS_UNLOADS_MODULE)
            __irkiss_ghost_set(&__irkiss_thread_state, IRKISS_GHOST_UNLOADED, irkiss_me());
        __irkiss_atomic_end();
    }
}

/* Called by the harness when `remove` has returned and devres has not begun to release (drivers/base/dd.c: __device_release_driver calls
 * device_remove, then device_unbind_cleanup). A device whose clock or supply `remove` has turned off does not answer from here on. What
 * `remove` left on is there until devres is through, which is when __irkiss_leave tells it. */
void __irkiss_removed(void)
{
    if (__irkiss_property(IRKISS_REMOVED)) {
        if (irkiss_state(IRKISS_GHOST_TURNED_OFF) != 0)
            IRKISS_ATOMIC(__irkiss_ghost_set(&__irkiss_thread_state, IRKISS_GHOST_DEVICE_GONE, irkiss_me()));
    }
}

/* At the beginning of what turns the clock or the supply of a device off. */
void __irkiss_turns_off(void)
{
    if (__irkiss_property(IRKISS_REMOVED))
        irkiss_set_state(IRKISS_GHOST_TURNED_OFF, 1);
}

/* At the beginning of what does input and output on a device. What devres calls for whoever removes it is part of the removal. */
void __irkiss_uses_device(void)
{
    u64 gone;
    if (__irkiss_property(IRKISS_REMOVED)) {
        if (irkiss_state(IRKISS_GHOST_EXEMPT) == 0) {
            __irkiss_atomic_begin();
            gone = __irkiss_ghost_get(&__irkiss_thread_state, IRKISS_GHOST_DEVICE_GONE);
            __irkiss_check(IRKISS_USE_AFTER_REMOVAL, gone == 0 || gone == irkiss_me(), NULL);
            __irkiss_atomic_end();
        }
    }
}

/* At the beginning of what may sleep. */
void __irkiss_may_sleep(void)
{
    if (__irkiss_property(IRKISS_LOCK_MISUSE))
        IRKISS_ATOMIC(__irkiss_check(IRKISS_SLEEP_IN_ATOMIC,
                                     irkiss_state(IRKISS_GHOST_ATOMIC) == 0 && irkiss_state(IRKISS_GHOST_QUIET) == 0, NULL));
}

/* __GFP_DIRECT_RECLAIM, since 4.20. */
void __irkiss_may_sleep_by_flags(u32 flags)
{
    if (flags & 0x400)
        __irkiss_may_sleep();
}

