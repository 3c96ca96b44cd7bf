/* Locks of the kernel's own that drivers take by functions of their own name. Of most, drivers know no more than the object that has it,
 * whose address stands for it, or nothing: then there is one.
 */
#include "irkiss_linux.h"

#define FIELD(name) __asm__(name)

#define ONE_LOCK(object, take, give) \
    static char object; \
    void take(void) \
    { \
        irkiss_lock(&object); \
    } \
    void give(void) \
    { \
        irkiss_unlock(&object); \
    }

#define LOCK_OF(take, give) \
    void take(void *object) \
    { \
        irkiss_lock(object); \
    } \
    void give(void *object) \
    { \
        irkiss_unlock(object); \
    }

/* kernel/printk/printk.c: console_sem; net/netlink/genetlink.c: genl_mutex; drivers/pci/probe.c: pci_rescan_remove_lock;
 * drivers/base/core.c: device_hotplug_lock */
ONE_LOCK(console_sem, console_lock, console_unlock)
ONE_LOCK(genl_mutex, genl_lock, genl_unlock)
ONE_LOCK(pci_rescan_remove_lock, pci_lock_rescan_remove, pci_unlock_rescan_remove)
ONE_LOCK(device_hotplug_lock, lock_device_hotplug, unlock_device_hotplug)

/* The lock of another module, known by the names of its functions (src/frontend/close/named_locks.rs). */
IRKISS_ASSUMES("locks-by-name")
void __irkiss_lock_by_name(const void *lock)
{
    irkiss_lock(lock);
}

void __irkiss_unlock_by_name(const void *lock)
{
    irkiss_unlock(lock);
}

/* The semaphore of a blocking notifier chain (kernel/notifier.c: blocking_notifier_call_chain holds it for reading,
 * blocking_notifier_chain_register and blocking_notifier_chain_unregister for writing). Who else runs is told by the rules: it is of interest
 * to those alone who look for deadlocks. */
void down_read(void *);
void up_read(void *);
void down_write(void *);
void up_write(void *);

#define CHAIN(chain) \
    static char chain##_rwsem; \
    void __irkiss_call_##chain(void) \
    { \
        if (__irkiss_property(IRKISS_DEADLOCK)) \
            down_read(&chain##_rwsem); \
    } \
    void __irkiss_called_##chain(void) \
    { \
        if (__irkiss_property(IRKISS_DEADLOCK)) \
            up_read(&chain##_rwsem); \
    } \
    void __irkiss_change_##chain(void) \
    { \
        if (__irkiss_property(IRKISS_DEADLOCK)) \
            down_write(&chain##_rwsem); \
    } \
    void __irkiss_changed_##chain(void) \
    { \
        if (__irkiss_property(IRKISS_DEADLOCK)) \
            up_write(&chain##_rwsem); \
    }

/* kernel/power/main.c: pm_chain_head; kernel/reboot.c: reboot_notifier_list; mm/oom_kill.c: oom_notify_list; drivers/base/memory.c:
 * memory_chain; drivers/usb/core/notify.c: usb_notifier_list; net/ipv4/devinet.c: inetaddr_chain; drivers/acpi/event.c: acpi_chain_head;
 * drivers/cpufreq/cpufreq.c: cpufreq_policy_notifier_list */
CHAIN(pm_chain)
CHAIN(reboot_chain)
CHAIN(oom_chain)
CHAIN(memory_chain)
CHAIN(usb_chain)
CHAIN(inetaddr_chain)
CHAIN(acpi_chain)
CHAIN(cpufreq_policy_chain)

int console_trylock(void)
{
    return irkiss_trylock(&console_sem);
}

/* kernel/power/main.c: system_transition_mutex. Before 6.1 neither has a parameter or a result. */
static char system_transition_mutex;

unsigned int lock_system_sleep(void)
{
    irkiss_lock(&system_transition_mutex);
    return __irkiss_nondet_u32();
}

void unlock_system_sleep(unsigned int)
{
    irkiss_unlock(&system_transition_mutex);
}

/* kernel/params.c: the mutex of a module, or that of what is built in. */
static char param_lock;

void kernel_param_lock(void *module)
{
    irkiss_lock(module ? module : &param_lock);
}

void kernel_param_unlock(void *module)
{
    irkiss_unlock(module ? module : &param_lock);
}

/* drivers/spi/spi.c: bus_lock_mutex of the controller, until spi_bus_unlock; both answer 0. */
int spi_bus_lock(void *controller)
{
    irkiss_lock(controller);
    return 0;
}

int spi_bus_unlock(void *controller)
{
    irkiss_unlock(controller);
    return 0;
}

/* drivers/i2c/i2c-core-base.c: i2c_adapter_lock_bus and its like: bus_lock of the adapter, unless it is behind a multiplexer, which has
 * functions of its own for the root of the tree. */
LOCK_OF(i2c_adapter_lock_bus, i2c_adapter_unlock_bus)

void lock_bus(void *adapter, unsigned int) FIELD("i2c_lock_operations.lock_bus");
void lock_bus(void *adapter, unsigned int)
{
    irkiss_lock(adapter);
}

int trylock_bus(void *adapter, unsigned int) FIELD("i2c_lock_operations.trylock_bus");
int trylock_bus(void *adapter, unsigned int)
{
    return irkiss_trylock(adapter);
}

void unlock_bus(void *adapter, unsigned int) FIELD("i2c_lock_operations.unlock_bus");
void unlock_bus(void *adapter, unsigned int)
{
    irkiss_unlock(adapter);
}

/* ---- Hosts of cards (drivers/mmc/core/core.c: __mmc_claim_host): one task claims a host as often as it likes (claim_cnt). The host of a
 * function is known by the function: two functions of a card are taken for two hosts. ---- */
static _Bool is_own(const void *host)
{
    _Bool own;
    IRKISS_ATOMIC(own = __irkiss_ghost_get(host, IRKISS_GHOST_OWNER) == irkiss_me());
    return own;
}

static void claim_again(const void *host, u64 change)
{
    IRKISS_ATOMIC(__irkiss_ghost_set(host, IRKISS_GHOST_DEPTH, __irkiss_ghost_get(host, IRKISS_GHOST_DEPTH) + change));
}

void sdio_claim_host(void *function)
{
    if (is_own(function))
        claim_again(function, 1);
    else
        irkiss_lock(function);
}

void sdio_release_host(void *function)
{
    u64 depth;
    IRKISS_ATOMIC(depth = __irkiss_ghost_get(function, IRKISS_GHOST_DEPTH));
    if (depth)
        claim_again(function, ~0ull);
    else
        irkiss_unlock(function);
}

/* With `abort`, who waits may be told to stop. With a context, that is who claims: not looked at, so it keeps nobody away. */
int __mmc_claim_host(void *host, void *context, const int *abort)
{
    if (context)
        return 0;
    if (abort && __irkiss_nondet_bool())
        return 1;
    sdio_claim_host(host);
    return 0;
}

void mmc_release_host(void *host)
{
    if (is_own(host))
        sdio_release_host(host);
}

/* ---- Hardware spin locks (drivers/hwspinlock/hwspinlock_core.c): a spin lock around one that other processors know. In two modes there is
 * no spin lock, and who claims the other one a second time may get it: it knows processors, not threads. ---- */
enum { HWLOCK_IRQSTATE = 1, HWLOCK_IRQ, HWLOCK_RAW, HWLOCK_IN_ATOMIC };

static _Bool has_spin_lock(int mode)
{
    return mode != HWLOCK_RAW && mode != HWLOCK_IN_ATOMIC;
}

static void hwspin_quiet(int mode, unsigned long *flags)
{
    if (mode == HWLOCK_IRQSTATE)
        *flags = irkiss_flags();
    if (mode == HWLOCK_IRQSTATE || mode == HWLOCK_IRQ)
        irkiss_quiet(1);
}

/* -EBUSY: another thread, or another processor, has it. */
int __hwspin_trylock(void *lock, int mode, unsigned long *flags)
{
    if (__irkiss_nondet_bool() || (has_spin_lock(mode) && !irkiss_spin_trylock(lock)))
        return -EBUSY;
    hwspin_quiet(mode, flags);
    return 0;
}

int __hwspin_lock_timeout(void *lock, unsigned int, int mode, unsigned long *flags)
{
    if (__irkiss_nondet_bool())
        return -110; /* ETIMEDOUT */
    if (has_spin_lock(mode))
        irkiss_spin_lock(lock);
    hwspin_quiet(mode, flags);
    return 0;
}

void __hwspin_unlock(void *lock, int mode, unsigned long *flags)
{
    if (has_spin_lock(mode))
        irkiss_spin_unlock(lock);
    if (mode == HWLOCK_IRQSTATE)
        irkiss_restore_flags(*flags);
    if (mode == HWLOCK_IRQ)
        irkiss_quiet(0);
}

/* ---- Locks of modes of a display (drivers/gpu/drm/drm_modeset_lock.c). With a context, a lock is given back by what it remembers
 * (drm_modeset_drop_locks), which is not followed: such a lock keeps nobody away. ---- */
int drm_modeset_lock(void *lock, void *context)
{
    if (context)
        return __irkiss_nondet_bool() ? -35 /* EDEADLK */ : 0;
    irkiss_lock(lock);
    return 0;
}

int drm_modeset_lock_single_interruptible(void *lock)
{
    if (__irkiss_nondet_bool())
        return -EINTR;
    irkiss_lock(lock);
    return 0;
}

void drm_modeset_unlock(void *lock)
{
    if (is_own(lock))
        irkiss_unlock(lock);
}

/* ---- HID: hid_device_probe holds driver_input_lock, and gives it back at its end unless the driver has let events in before; the rules keep
 * them apart until then. What the driver does in between ends where it began. ---- */
void irkiss_model__hid_device_io_start(void *device) { (void)device; }
void irkiss_model__hid_device_io_stop(void *device) { (void)device; }
