/* Runtime power management (drivers/base/power/runtime.c): a device that is in use does not fall asleep, and who begins to use it waits
 * until it is awake. Users and state are where the kernel has them, in `power` of the device: inline functions of the kernel read and
 * change them too. Only of devices whose bus a rule knows (`[[power]]`, src/frontend/harness/power.rs); of others nothing is said.
 *
 * Of a device that nobody else wakes up nothing is said after its own wake-up here: runtime_resume is an entry point of its own. Nor is
 * it said whether the user forbids it to sleep, nor of links to other devices, nor of runtime_error.
 */
#include "irkiss_linux.h"

u64 __irkiss_offsetof__device__power(void);
u64 __irkiss_offsetof__device__parent(void);
u64 __irkiss_offsetof__dev_pm_info__usage_count(void);
u64 __irkiss_offsetof__dev_pm_info__runtime_status(void);
u64 __irkiss_offsetof__dev_pm_info__disable_depth(void);

/* enum rpm_status. */
#define ACTIVE 0
#define RESUMING 1
#define SUSPENDED 2
#define SUSPENDING 3

/* Flags of __pm_runtime_resume and the like: RPM_ASYNC, RPM_NOWAIT, RPM_GET_PUT. */
#define LATER (1 | 2)
#define COUNT 4

/* Volatile: marked, as are the reads of the kernel's inline functions (src/frontend/close/idioms.rs): no race between these. */
static volatile int *word(const void *device, u64 member)
{
    return (volatile int *)((char *)(uptr)device + __irkiss_offsetof__device__power() + member);
}
#define USERS(device) (*word(device, __irkiss_offsetof__dev_pm_info__usage_count()))
#define STATUS(device) (*word(device, __irkiss_offsetof__dev_pm_info__runtime_status()))

/* disable_depth is the first of the bits of its byte; the others are the kernel's own. */
#define DEPTH 7
static volatile u8 *depth(const void *device)
{
    return (volatile u8 *)word(device, __irkiss_offsetof__dev_pm_info__disable_depth());
}

static _Bool is_disabled(const void *device)
{
    return (*depth(device) & DEPTH) != 0;
}

/* What is known of a device, in bits. */
#define KNOWN 1
/* It has been asleep from the beginning, or since the driver said so: no runtime_suspend has put it to sleep. */
#define UNTOUCHED 2
/* The driver has been seen to switch runtime power management on or off. Until then others may have. */
#define SWITCHED 4

static u64 known(const void *device)
{
    return __irkiss_ghost_get(device, IRKISS_GHOST_MANAGED);
}

static _Bool is_managed(const void *device)
{
    return known(device) != 0;
}

static void set_touched(const void *device, _Bool touched)
{
    u64 others = known(device) & SWITCHED;
    __irkiss_ghost_set(device, IRKISS_GHOST_MANAGED, KNOWN | others | (touched ? 0 : UNTOUCHED));
}

static _Bool is_off(const void *device)
{
    return (known(device) & SWITCHED) && is_disabled(device);
}

/* Whether it is awake, or may be woken up without anybody's being told. What its first runtime_resume would do is not looked at, as
 * with any that runs within a call: it is an entry point of its own. */
static _Bool can_be_awake(const void *device)
{
    return STATUS(device) == ACTIVE || (STATUS(device) == SUSPENDED && (known(device) & UNTOUCHED));
}

static void set_status(void *device, int status)
{
    set_touched(device, 1);
    STATUS(device) = status;
}

/* ---- Called by the harness. ---- */
/* Before probe: the bus itself uses the device, which is awake and may sleep as far as users let it. */
void __irkiss_power_begin(void *device)
{
    set_touched(device, 1);
    USERS(device) = 1;
    STATUS(device) = ACTIVE;
    *depth(device) = 0;
}

/* Before probe: nobody uses it, it sleeps, and nothing wakes it up (drivers/base/power/runtime.c: pm_runtime_init). */
void __irkiss_power_begin_off(void *device)
{
    set_touched(device, 0);
    USERS(device) = 0;
    STATUS(device) = SUSPENDED;
    *depth(device) = 1;
}

void __irkiss_power_switch(void *device, _Bool on)
{
    if (!is_managed(device))
        return;
    __irkiss_atomic_begin();
    if (!on)
        __irkiss_assume(STATUS(device) == ACTIVE || STATUS(device) == SUSPENDED);
    if (!on || is_disabled(device))
        *depth(device) += on ? -1 : 1;
    __irkiss_ghost_set(device, IRKISS_GHOST_MANAGED, known(device) | SWITCHED);
    __irkiss_atomic_end();
}

/* by_system: the whole system falls asleep, or wakes up, and the driver has the device do so whoever uses it. */
void __irkiss_power_suspend(void *device, _Bool by_system)
{
    IRKISS_ATOMIC(__irkiss_assume(can_be_awake(device) && (by_system || (USERS(device) == 0 && !is_off(device))));
                  set_status(device, SUSPENDING));
}

void __irkiss_power_suspended(void *device, _Bool done)
{
    IRKISS_ATOMIC(STATUS(device) = done ? SUSPENDED : ACTIVE);
}

void __irkiss_power_resume(void *device, _Bool by_system)
{
    IRKISS_ATOMIC(__irkiss_assume(STATUS(device) == SUSPENDED && (by_system || !is_off(device))); set_status(device, RESUMING));
}

void __irkiss_power_resumed(void *device, _Bool done)
{
    IRKISS_ATOMIC(STATUS(device) = done ? ACTIVE : SUSPENDED);
}

/* Whether a user that comes later waits for it is not known, so none does. */
void __irkiss_power_idle(void *device)
{
    IRKISS_ATOMIC(__irkiss_assume(USERS(device) == 0 && can_be_awake(device) && !is_off(device)); set_status(device, ACTIVE));
}

static void change_users(void *device, int step)
{
    IRKISS_ATOMIC(USERS(device) += step);
}

static void wait_until_awake(void *device)
{
    IRKISS_ATOMIC(__irkiss_assume(can_be_awake(device)); set_status(device, ACTIVE));
}

/* The parent of a device, if that is one of which something is known, and its user says so; null otherwise. Volatile: the kernel's own
 * reading. */
void *__irkiss_power_use_parent(const void *device, const volatile u8 *flag)
{
    u64 at = __irkiss_offsetof__device__parent();
    void *parent;
    if (at == IRKISS_NO_OFFSET || (flag && !(*flag & 1)))
        return NULL;
    parent = irkiss_field(device, at);
    if (!parent || !is_managed(parent))
        return NULL;
    change_users(parent, 1);
    wait_until_awake(parent);
    return parent;
}

void __irkiss_power_unuse_parent(void *parent)
{
    if (parent)
        change_users(parent, -1);
}

/* ---- Called by drivers. ---- */
/* Error: also of a device that is awake (drivers/base/power/runtime.c: rpm_resume, -EACCES). Where runtime power management is off
 * nobody is waited for. */
int __pm_runtime_resume(void *device, int flags)
{
    int result = (int)__irkiss_nondet_u32();
    __irkiss_assume(result >= -4095 && result <= 1);
    if (is_managed(device)) {
        if (flags & COUNT)
            change_users(device, 1);
        if (is_off(device))
            __irkiss_assume(result < 0 || (result == 1 && STATUS(device) == ACTIVE));
        else if ((flags & LATER) == 0)
            wait_until_awake(device);
    }
    return result;
}

/* The driver tells whether the device is awake, while runtime power management is off; the parent of one that is has to be, too
 * (drivers/base/power/runtime.c: __pm_runtime_set_status). */
int __pm_runtime_set_status(void *device, unsigned int status)
{
    _Bool refused = __irkiss_nondet_bool();
    int result = (int)__irkiss_nondet_u32();
    __irkiss_assume(result >= -4095 && result <= 0);
    if (!is_managed(device))
        return result;
    if (refused || !is_disabled(device)) {
        __irkiss_assume(result < 0);
        return result;
    }
    __irkiss_assume(result == 0);
    set_touched(device, status != SUSPENDED);
    STATUS(device) = (int)status;
    return result;
}

/* What it calls at once, runtime_idle and runtime_suspend, are entry points of their own. */
static int may_sleep(void *device, int flags)
{
    if ((flags & COUNT) && is_managed(device))
        change_users(device, -1);
    return (int)__irkiss_nondet_u32();
}

int __pm_runtime_idle(void *device, int flags)
{
    return may_sleep(device, flags);
}

int __pm_runtime_suspend(void *device, int flags)
{
    return may_sleep(device, flags);
}

/* Uses it if it is awake; pm_runtime_get_if_in_use: and only if somebody does already. */
static int use_if(void *device, _Bool in_use)
{
    int result = (int)__irkiss_nondet_u32();
    __irkiss_assume(result >= -4095 && result <= 1);
    if (is_managed(device)) {
        __irkiss_atomic_begin();
        __irkiss_assume(is_off(device) ? result < 0 : result <= 0 || (STATUS(device) == ACTIVE && (!in_use || USERS(device) > 0)));
        if (result == 1)
            USERS(device) += 1;
        __irkiss_atomic_end();
    }
    return result;
}

int pm_runtime_get_if_in_use(void *device)
{
    return use_if(device, 1);
}

int pm_runtime_get_if_active(void *device, _Bool)
{
    return use_if(device, 0);
}
