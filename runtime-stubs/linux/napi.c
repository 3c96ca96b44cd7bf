/* NAPI: who may run a poll function (net/core/dev.c), and the locks and calls of network devices that go with it.
 *
 * An instance has two bits: whether it is scheduled (NAPI_STATE_SCHED: given to one by napi_schedule_prep, taken back by
 * napi_complete_done or napi_disable) and whether it is disabled. Its poll function is a handler that __napi_schedule arms.
 * What is scheduled and was not completed stays scheduled: a poll that used up its budget is not run again.
 */
#include "irkiss_linux.h"

static _Bool is_scheduled(const void *napi)
{
    return __irkiss_ghost_get(napi, IRKISS_GHOST_SCHEDULED) != 0;
}

void netif_napi_add_weight(void *, void *napi, int (*poll)(void *, int), int)
{
    void **slot = __irkiss_slot((const void *)poll);
    __irkiss_atomic_begin();
    if (slot)
        *slot = napi;
    __irkiss_ghost_set(napi, IRKISS_GHOST_POLL, (u64)(uptr)poll);
    /* It starts disabled: netif_napi_add_weight sets NAPI_STATE_SCHED, napi_enable clears it. */
    __irkiss_ghost_set(napi, IRKISS_GHOST_SCHEDULED, 1);
    __irkiss_ghost_set(napi, IRKISS_GHOST_ARMED, 0);
    __irkiss_atomic_end();
}

void netif_napi_add_tx_weight(void *device, void *napi, int (*poll)(void *, int), int weight)
{
    netif_napi_add_weight(device, napi, poll, weight);
}

void __netif_napi_del(void *napi)
{
    IRKISS_ATOMIC(__irkiss_ghost_set(napi, IRKISS_GHOST_ARMED, 0));
}

void napi_enable(void *napi)
{
    IRKISS_ATOMIC(__irkiss_ghost_set(napi, IRKISS_GHOST_SCHEDULED, 0));
}

/* Waits until nobody has it, and takes it; meanwhile nobody gets it (NAPI_STATE_DISABLE). */
void napi_disable(void *napi)
{
    IRKISS_ATOMIC(__irkiss_ghost_set(napi, IRKISS_GHOST_CLOSING, 1));
    irkiss_may_await(napi);
    __irkiss_atomic_begin();
    __irkiss_assume(!is_scheduled(napi) && __irkiss_ghost_get(napi, IRKISS_GHOST_RUNNING) == 0);
    __irkiss_ghost_set(napi, IRKISS_GHOST_SCHEDULED, 1);
    __irkiss_ghost_set(napi, IRKISS_GHOST_CLOSING, 0);
    __irkiss_atomic_end();
}

/* Waits until nobody has it. */
void napi_synchronize(const void *napi)
{
    irkiss_may_await(napi);
    IRKISS_ATOMIC(__irkiss_assume(!is_scheduled(napi)));
}

/* Who comes while it is scheduled leaves a mark (NAPI_STATE_MISSED): it is polled once more. */
_Bool napi_schedule_prep(void *napi)
{
    _Bool given = 0;
    __irkiss_atomic_begin();
    if (__irkiss_ghost_get(napi, IRKISS_GHOST_CLOSING) == 0) {
        given = !is_scheduled(napi);
        __irkiss_ghost_set(napi, given ? IRKISS_GHOST_SCHEDULED : IRKISS_GHOST_MISSED, 1);
    }
    __irkiss_atomic_end();
    return given;
}

void __napi_schedule(void *napi)
{
    u64 poll;
    IRKISS_ATOMIC(poll = __irkiss_ghost_get(napi, IRKISS_GHOST_POLL));
    (void)__irkiss_arm(napi, (const void *)(uptr)poll);
}

void __napi_schedule_irqoff(void *napi)
{
    __napi_schedule(napi);
}

/* False where another run follows (somebody came meanwhile, or a timer will). */
_Bool napi_complete_done(void *napi, int)
{
    u64 missed;
    __irkiss_atomic_begin();
    missed = __irkiss_ghost_get(napi, IRKISS_GHOST_MISSED);
    __irkiss_ghost_set(napi, IRKISS_GHOST_MISSED, 0);
    __irkiss_ghost_set(napi, IRKISS_GHOST_SCHEDULED, missed);
    __irkiss_atomic_end();
    if (missed) {
        __napi_schedule(napi);
        return 0;
    }
    return __irkiss_nondet_bool();
}

/* ---- The lock of all transmit queues of a device (net/sched/sch_generic.c: netif_tx_lock takes tx_global_lock and freezes
 * each queue under its _xmit_lock). ---- */
void netif_tx_lock(void *device)
{
    irkiss_lock(device);
}

void netif_tx_unlock(void *device)
{
    irkiss_unlock(device);
}

/* ---- Addresses: read. Where dev_addr lies depends on the configuration; it is written under RTNL. ---- */
void dev_addr_mod(void *, unsigned int, const void *address, usize length)
{
    __irkiss_touch(address, length);
}

/* ---- Strings for ethtool: 32 bytes each (ETH_GSTRING_LEN; net/ethtool/ioctl.c). ---- */
void ethtool_sprintf(u8 **data, const char *, ...)
{
    __irkiss_havoc(*data, 32);
    *data += 32;
}
