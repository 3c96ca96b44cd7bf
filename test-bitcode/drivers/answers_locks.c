// irkiss: ; expect: none ; lazy: yes
//
// Who holds a lock keeps everybody away, in every spelling; a lock that was given back can be taken.
#include "answers.h"

extern int _raw_spin_trylock(raw_spinlock_t *lock);
static spinlock_t lock;

// Each way to take a spin lock, each way to give it back.
#define SPIN(take, give) \
    take; \
    CHECK(!_raw_spin_trylock(&lock.rlock)); \
    give; \
    CHECK(_raw_spin_trylock(&lock.rlock)); \
    _raw_spin_unlock(&lock.rlock);

extern void _raw_spin_lock_irq(raw_spinlock_t *), _raw_spin_unlock_irq(raw_spinlock_t *);
extern void _raw_spin_lock_bh(raw_spinlock_t *), _raw_spin_unlock_bh(raw_spinlock_t *);
extern void _raw_spin_lock_nested(raw_spinlock_t *, int);
extern void _raw_spin_lock_nest_lock(raw_spinlock_t *, void *);
extern unsigned long _raw_spin_lock_irqsave_nested(raw_spinlock_t *, int);
extern int _raw_spin_trylock_bh(raw_spinlock_t *);
extern void __raw_spin_lock_init(raw_spinlock_t *, const char *, void *, short);

static void spin_locks(void)
{
    raw_spinlock_t *raw = &lock.rlock;
    SPIN(_raw_spin_lock(raw), _raw_spin_unlock(raw))
    SPIN(_raw_spin_lock_irq(raw), _raw_spin_unlock_irq(raw))
    SPIN(_raw_spin_lock_bh(raw), _raw_spin_unlock_bh(raw))
    SPIN(_raw_spin_lock_irqsave(raw), _raw_spin_unlock_irqrestore(raw, 0))
    SPIN(_raw_spin_lock_nested(raw, 1), _raw_spin_unlock(raw))
    SPIN(_raw_spin_lock_nest_lock(raw, NULL), _raw_spin_unlock(raw))
    SPIN(_raw_spin_lock_irqsave_nested(raw, 1), _raw_spin_unlock_irqrestore(raw, 0))
    SPIN(CHECK(_raw_spin_trylock_bh(raw)), _raw_spin_unlock_bh(raw))
    SPIN(_raw_spin_lock(raw), __raw_spin_lock_init(raw, "lock", NULL, 0))
}

extern int mutex_trylock(struct mutex *);
extern void mutex_lock_nested(struct mutex *, unsigned int), mutex_lock_io(struct mutex *), _mutex_lock_nest_lock(struct mutex *, void *);
extern void mutex_lock_io_nested(struct mutex *, unsigned int);
extern int mutex_lock_interruptible(struct mutex *), mutex_lock_killable(struct mutex *);
extern int mutex_lock_interruptible_nested(struct mutex *, unsigned int), mutex_lock_killable_nested(struct mutex *, unsigned int);
extern _Bool mutex_is_locked(struct mutex *);
static struct mutex mutex;

#define MUTEX(take) \
    take; \
    CHECK(mutex_is_locked(&mutex)); \
    CHECK(!mutex_trylock(&mutex)); \
    mutex_unlock(&mutex); \
    CHECK(!mutex_is_locked(&mutex));
#define MUTEX_OR_SIGNAL(take) \
    { \
        int error = take; \
        CHECK(error == 0 || error == -EINTR); \
        CHECK(mutex_is_locked(&mutex) == !error); \
        if (!error) \
            mutex_unlock(&mutex); \
    }

static void mutexes(void)
{
    MUTEX(mutex_lock(&mutex))
    MUTEX(mutex_lock_nested(&mutex, 1))
    MUTEX(_mutex_lock_nest_lock(&mutex, NULL))
    MUTEX(mutex_lock_io(&mutex))
    MUTEX(mutex_lock_io_nested(&mutex, 1))
    MUTEX(CHECK(mutex_trylock(&mutex)))
    MUTEX_OR_SIGNAL(mutex_lock_interruptible(&mutex))
    MUTEX_OR_SIGNAL(mutex_lock_killable(&mutex))
    MUTEX_OR_SIGNAL(mutex_lock_interruptible_nested(&mutex, 1))
    MUTEX_OR_SIGNAL(mutex_lock_killable_nested(&mutex, 1))
    mutex_lock(&mutex);
    __mutex_init(&mutex, "mutex", NULL);
    CHECK(!mutex_is_locked(&mutex));
}

extern void rt_mutex_lock(void *), rt_mutex_unlock(void *);
extern int rt_mutex_trylock(void *);
extern void rtnl_lock(void), rtnl_unlock(void);
extern int rtnl_trylock(void), rtnl_is_locked(void), rtnl_lock_killable(void), tty_lock_interruptible(void *);
extern void tty_unlock(void *);
extern void lock_sock_nested(void *, int), release_sock(void *);
extern void netif_tx_lock(void *), netif_tx_unlock(void *);
extern int phy_select_page(void *, int), phy_restore_page(void *, int, int);
extern void rt_mutex_lock_nested(void *, unsigned int), _rt_mutex_lock_nest_lock(void *, void *);
extern int rt_mutex_lock_interruptible(void *), rt_mutex_lock_killable(void *);
extern void __rt_mutex_init(void *, const char *, void *);
extern int devl_trylock(void *);
static long object[16];

#define RT_MUTEX(take) \
    take; \
    CHECK(!rt_mutex_trylock(object)); \
    rt_mutex_unlock(object);
#define RT_MUTEX_OR_SIGNAL(take) \
    { \
        int error = take; \
        CHECK(error == 0 || error == -EINTR); \
        CHECK(mutex_is_locked((void *)object) == !error); \
        if (!error) \
            rt_mutex_unlock(object); \
    }

extern void console_lock(void), console_unlock(void), genl_lock(void), genl_unlock(void);
extern void pci_lock_rescan_remove(void), pci_unlock_rescan_remove(void), lock_device_hotplug(void), unlock_device_hotplug(void);
extern unsigned int lock_system_sleep(void);
extern void unlock_system_sleep(unsigned int);
extern void kernel_param_lock(void *), kernel_param_unlock(void *), sdio_claim_host(void *), sdio_release_host(void *);
extern int spi_bus_lock(void *), spi_bus_unlock(void *), __mmc_claim_host(void *, void *, void *), drm_modeset_lock(void *, void *);
extern void mmc_release_host(void *), drm_modeset_unlock(void *), i2c_adapter_lock_bus(void *), i2c_adapter_unlock_bus(void *);
extern int __hwspin_lock_timeout(void *, unsigned int, int, unsigned long *);
extern void __hwspin_unlock(void *, int, unsigned long *);

#define OBJECT(take, give) \
    take; \
    CHECK(mutex_is_locked((void *)object)); \
    give; \
    CHECK(!mutex_is_locked((void *)object));

struct i2c_adapter;
struct i2c_lock_operations {
    void (*lock_bus)(struct i2c_adapter *, unsigned int);
    int (*trylock_bus)(struct i2c_adapter *, unsigned int);
    void (*unlock_bus)(struct i2c_adapter *, unsigned int);
};
struct i2c_adapter {
    const struct i2c_lock_operations *lock_ops;
};
extern struct i2c_adapter *i2c_get_adapter(int);

// Who has given a lock back can take it again.
static void locks_by_name(void)
{
    struct i2c_adapter *adapter = i2c_get_adapter(0);
    if (adapter) {
        adapter->lock_ops->lock_bus(adapter, 2);
        CHECK(mutex_is_locked((void *)adapter));
        adapter->lock_ops->unlock_bus(adapter, 2);
        CHECK(!mutex_is_locked((void *)adapter));
    }
    for (int n = 0; n < 2; n++) {
        console_lock();
        console_unlock();
        genl_lock();
        genl_unlock();
        pci_lock_rescan_remove();
        pci_unlock_rescan_remove();
        lock_device_hotplug();
        unlock_device_hotplug();
        unlock_system_sleep(lock_system_sleep());
    }
    OBJECT(kernel_param_lock(object), kernel_param_unlock(object))
    OBJECT(spi_bus_lock(object), spi_bus_unlock(object))
    OBJECT(sdio_claim_host(object), sdio_release_host(object))
    OBJECT(__mmc_claim_host(object, NULL, NULL), mmc_release_host(object))
    OBJECT(drm_modeset_lock(object, NULL), drm_modeset_unlock(object))
    OBJECT(i2c_adapter_lock_bus(object), i2c_adapter_unlock_bus(object))
    if (!__hwspin_lock_timeout(object, 1, 0, NULL)) {
        CHECK(mutex_is_locked((void *)object));
        __hwspin_unlock(object, 0, NULL);
    }
    CHECK(!mutex_is_locked((void *)object));
}

static void rt_mutexes(void)
{
    RT_MUTEX(rt_mutex_lock(object))
    RT_MUTEX(rt_mutex_lock_nested(object, 1))
    RT_MUTEX(_rt_mutex_lock_nest_lock(object, NULL))
    RT_MUTEX(CHECK(rt_mutex_trylock(object)))
    RT_MUTEX(CHECK(devl_trylock(object)))
    RT_MUTEX_OR_SIGNAL(rt_mutex_lock_interruptible(object))
    RT_MUTEX_OR_SIGNAL(rt_mutex_lock_killable(object))
    rt_mutex_lock(object);
    __rt_mutex_init(object, "lock", NULL);
    CHECK(!mutex_is_locked((void *)object));
}

static void locks_of_subsystems(void)
{
    int error;
    rtnl_lock();
    CHECK(!rtnl_trylock() && rtnl_is_locked());
    rtnl_unlock();
    CHECK(!rtnl_is_locked() && rtnl_trylock());
    rtnl_unlock();
    error = rtnl_lock_killable();
    CHECK((error == 0 || error == -EINTR) && rtnl_is_locked() == !error);
    if (!error)
        rtnl_unlock();
    error = tty_lock_interruptible(object);
    CHECK((error == 0 || error == -EINTR) && mutex_is_locked((void *)object) == !error);
    if (!error)
        tty_unlock(object);
    // All of these know the object by its address, as the mutex does.
    lock_sock_nested(object, 0);
    CHECK(mutex_is_locked((void *)object));
    release_sock(object);
    CHECK(!mutex_is_locked((void *)object));
    netif_tx_lock(object);
    CHECK(mutex_is_locked((void *)object));
    netif_tx_unlock(object);
    CHECK(!mutex_is_locked((void *)object));
    CHECK(phy_select_page(object, 1) <= 0xffff);
    CHECK(mutex_is_locked((void *)object));
    CHECK(phy_restore_page(object, 1, -7) == -7);
    CHECK(!mutex_is_locked((void *)object));
}

extern void snd_pcm_stream_lock(void *), snd_pcm_stream_unlock(void *), snd_pcm_stream_lock_irq(void *), snd_pcm_stream_unlock_irq(void *);
extern unsigned long _snd_pcm_stream_lock_irqsave(void *), _snd_pcm_stream_lock_irqsave_nested(void *);
extern void snd_pcm_stream_unlock_irqrestore(void *, unsigned long);

#define STREAM(take, give) \
    take; \
    CHECK(mutex_is_locked((void *)object)); \
    give; \
    CHECK(!mutex_is_locked((void *)object));

static void streams(void)
{
    STREAM(snd_pcm_stream_lock(object), snd_pcm_stream_unlock(object))
    STREAM(snd_pcm_stream_lock_irq(object), snd_pcm_stream_unlock_irq(object))
    STREAM(_snd_pcm_stream_lock_irqsave(object), snd_pcm_stream_unlock_irqrestore(object, 0))
    STREAM(_snd_pcm_stream_lock_irqsave_nested(object), snd_pcm_stream_unlock_irqrestore(object, 0))
}

extern int _atomic_dec_and_lock(int *, void *), _atomic_dec_and_lock_irqsave(int *, void *, unsigned long *);
extern int atomic_dec_and_mutex_lock(int *, void *);
extern _Bool refcount_dec_and_mutex_lock(int *, void *), refcount_dec_and_lock(int *, void *);
extern _Bool refcount_dec_and_lock_irqsave(int *, void *, unsigned long *);

#define COUNTED(take) \
    count = 2; \
    CHECK(!take); \
    CHECK(count == 1 && !mutex_is_locked(&mutex)); \
    CHECK(take); \
    CHECK(count == 0 && mutex_is_locked(&mutex)); \
    mutex_unlock(&mutex);

static void locks_with_a_count(void)
{
    int count;
    unsigned long flags;
    COUNTED(_atomic_dec_and_lock(&count, &mutex))
    COUNTED(_atomic_dec_and_lock_irqsave(&count, &mutex, &flags))
    COUNTED(atomic_dec_and_mutex_lock(&count, &mutex))
    COUNTED(refcount_dec_and_mutex_lock(&count, &mutex))
    COUNTED(refcount_dec_and_lock(&count, &mutex))
    COUNTED(refcount_dec_and_lock_irqsave(&count, &mutex, &flags))
}

static void answers(void)
{
    spin_locks();
    mutexes();
    locks_by_name();
    rt_mutexes();
    locks_of_subsystems();
    streams();
    locks_with_a_count();
}
