/* Ports of terminals (drivers/tty/tty_port.c, tty_buffer.c): opening and closing call the driver back under the port's mutex.
 * Where the members lie depends on the configuration: the debug info of the input says it; without it, nothing is written.
 */
#include "irkiss_linux.h"

u64 __irkiss_sizeof__tty_port(void);
u64 __irkiss_offsetof__tty_port__tty(void);
u64 __irkiss_offsetof__tty_port__count(void);
u64 __irkiss_offsetof__tty_port__ops(void);
u64 __irkiss_offsetof__tty_port__iflags(void);
u64 __irkiss_offsetof__tty_port__mutex(void);
u64 __irkiss_offsetof__tty_port_operations__activate(void);
u64 __irkiss_offsetof__tty_port_operations__shutdown(void);
u64 __irkiss_offsetof__tty_struct__legacy_mutex(void);

/* Of the driver's own, where the port is made up. */
typedef int (*activate_function)(void *port, void *tty);
typedef void (*shutdown_function)(void *port);
activate_function __irkiss_own__tty_port_operations__activate(void *);
shutdown_function __irkiss_own__tty_port_operations__shutdown(void *);

#define MEMBER(object, offset) ((void *)((char *)(object) + (offset)))
/* tty_port.iflags: TTY_PORT_INITIALIZED is bit 0. */
#define INITIALIZED 1ul

void tty_port_init(void *port)
{
    u64 size = __irkiss_sizeof__tty_port();
    if (size)
        __builtin_memset(port, 0, size);
}

static void set_tty(void *port, void *tty)
{
    u64 at = __irkiss_offsetof__tty_port__tty();
    if (at != IRKISS_NO_OFFSET)
        IRKISS_ATOMIC(*(void **)MEMBER(port, at) = tty);
}

void tty_port_tty_set(void *port, void *tty)
{
    set_tty(port, tty);
}

/* With a reference, or null. Under port->lock. */
void *tty_port_tty_get(void *port)
{
    u64 at = __irkiss_offsetof__tty_port__tty();
    void *tty;
    if (at == IRKISS_NO_OFFSET)
        return __irkiss_nondet_ptr();
    IRKISS_ATOMIC(tty = *(void **)MEMBER(port, at));
    return tty;
}

/* port->count changes under port->lock. */
static void count(void *port, int step, _Bool reset)
{
    u64 at = __irkiss_offsetof__tty_port__count();
    if (at == IRKISS_NO_OFFSET)
        return;
    __irkiss_atomic_begin();
    if (reset)
        *(int *)MEMBER(port, at) = 0;
    else
        *(int *)MEMBER(port, at) += step;
    __irkiss_atomic_end();
}

/* Whether it was initialised; marks it so or not. tty_port_set_initialized uses atomic bit operations. */
static _Bool exchange_initialized(void *port, _Bool to)
{
    u64 at = __irkiss_offsetof__tty_port__iflags();
    unsigned long old;
    if (at == IRKISS_NO_OFFSET)
        return __irkiss_nondet_bool();
    __irkiss_atomic_begin();
    old = *(unsigned long *)MEMBER(port, at);
    *(unsigned long *)MEMBER(port, at) = to ? old | INITIALIZED : old & ~INITIALIZED;
    __irkiss_atomic_end();
    return (old & INITIALIZED) != 0;
}

static void *mutex_of(void *port)
{
    u64 at = __irkiss_offsetof__tty_port__mutex();
    return at == IRKISS_NO_OFFSET ? port : MEMBER(port, at);
}

/* An operation of the port's driver; null where it has none. */
static void *operation(void *port, u64 member)
{
    u64 at = __irkiss_offsetof__tty_port__ops();
    void *ops;
    if (at == IRKISS_NO_OFFSET || member == IRKISS_NO_OFFSET)
        return NULL;
    ops = irkiss_field(port, (usize)at);
    return ops ? irkiss_field(ops, (usize)member) : NULL;
}

/* With the port's mutex held. */
static void shut_down(void *port)
{
    if (exchange_initialized(port, 0)) {
        void *shutdown = operation(port, __irkiss_offsetof__tty_port_operations__shutdown());
        if (shutdown)
            __irkiss_own__tty_port_operations__shutdown(shutdown)(port);
    }
}

/* ---- The lock that tty_io.c holds around open, close and hangup (tty_mutex.c). ---- */
static void *lock_of(void *tty)
{
    u64 at = __irkiss_offsetof__tty_struct__legacy_mutex();
    return at == IRKISS_NO_OFFSET ? tty : MEMBER(tty, at);
}

void tty_lock(void *tty)
{
    irkiss_lock(lock_of(tty));
}

int tty_lock_interruptible(void *tty)
{
    if (__irkiss_nondet_bool())
        return -EINTR;
    irkiss_lock(lock_of(tty));
    return 0;
}

void tty_unlock(void *tty)
{
    irkiss_unlock(lock_of(tty));
}

/* Who waits for the carrier gives the terminal's lock back meanwhile, if he holds it. The wait may be interrupted. */
int tty_port_block_til_ready(void *, void *tty, void *)
{
    void *lock = lock_of(tty);
    if (__irkiss_nondet_bool() && __irkiss_ghost_get(lock, IRKISS_GHOST_OWNER) == irkiss_me()) {
        irkiss_unlock(lock);
        irkiss_lock(lock);
    }
    return irkiss_may_fail(ERESTARTSYS);
}

int tty_port_open(void *port, void *tty, void *file)
{
    int error = 0;
    count(port, 1, 0);
    set_tty(port, tty);
    irkiss_lock(mutex_of(port));
    if (!exchange_initialized(port, 1)) {
        void *activate = operation(port, __irkiss_offsetof__tty_port_operations__activate());
        if (activate)
            error = __irkiss_own__tty_port_operations__activate(activate)(port, tty);
        if (error)
            (void)exchange_initialized(port, 0);
    }
    irkiss_unlock(mutex_of(port));
    return error ? error : tty_port_block_til_ready(port, tty, file);
}

/* The last one closes. */
void tty_port_close(void *port, void *, void *)
{
    count(port, -1, 0);
    if (__irkiss_nondet_bool())
        return;
    irkiss_lock(mutex_of(port));
    shut_down(port);
    irkiss_unlock(mutex_of(port));
    set_tty(port, NULL);
}

void tty_port_hangup(void *port)
{
    irkiss_lock(mutex_of(port));
    count(port, 0, 1);
    set_tty(port, NULL);
    shut_down(port);
    irkiss_unlock(mutex_of(port));
}

/* ---- What was received: copied into buffers of the port's own (drivers/tty/tty_buffer.c). ---- */
int tty_insert_flip_string_fixed_flag(void *, const u8 *from, char, usize size)
{
    u64 taken = __irkiss_nondet_u32();
    __irkiss_assume(taken <= size);
    __irkiss_touch(from, size);
    return (int)taken;
}

int tty_insert_flip_string_flags(void *, const u8 *from, const char *flags, usize size)
{
    u64 taken = __irkiss_nondet_u32();
    __irkiss_assume(taken <= size);
    __irkiss_touch(from, size);
    __irkiss_touch(flags, size);
    return (int)taken;
}

/* From 6.6 on. The first flag stands for all unless they may differ. */
usize __tty_insert_flip_string_flags(void *port, const u8 *from, const u8 *flags, _Bool differ, usize size)
{
    if (differ)
        return (usize)tty_insert_flip_string_flags(port, from, (const char *)flags, size);
    __irkiss_touch(flags, 1);
    return (usize)tty_insert_flip_string_fixed_flag(port, from, 0, size);
}

/* Room for characters, which the caller writes: memory that nobody else has until it is pushed. */
int tty_prepare_flip_string(void *, u8 **characters, usize size)
{
    if (__irkiss_nondet_bool())
        return 0;
    *characters = __irkiss_alloc(size, 0);
    return (int)size;
}
