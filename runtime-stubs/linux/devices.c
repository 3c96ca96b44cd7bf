/* Devices. Most functions that register and unregister have no model here: the harness makes them from what the rules say of
 * their effects (`[[effect]]` in runtime-stubs/rules/). */
#include "irkiss_linux.h"

/* ---- Character devices. ---- */
/* The cdev of an ops object is remembered beside it: where struct cdev holds its ops depends on the configuration. */
void cdev_init(void *cdev, const void *fops)
{
    void **slot = __irkiss_cdev_slot(fops);
    if (slot)
        IRKISS_ATOMIC(*slot = cdev);
}

static const void *ops_of(void *cdev)
{
    const void *fops;
    IRKISS_ATOMIC(fops = __irkiss_cdev_ops(cdev));
    return fops;
}

int cdev_add(void *cdev, u32, unsigned int)
{
    int error = irkiss_may_fail(EBUSY);
    const void *fops;
    if (error)
        return error;
    fops = ops_of(cdev);
    if (fops)
        __irkiss_born(fops);
    return 0;
}

int cdev_device_add(void *cdev, void *)
{
    return cdev_add(cdev, 0, 1);
}

/* A major number that the kernel chooses (fs/char_dev.c: find_dynamic_major; below CHRDEV_MAJOR_MAX). */
static u32 dynamic_major(void)
{
    return 1 + __irkiss_nondet_u32() % 511;
}

/* Returns 0, or the major number if 0 was asked for. */
int __register_chrdev(unsigned int major, unsigned int, unsigned int, const char *, const void *fops)
{
    int error = irkiss_may_fail(EBUSY);
    if (error)
        return error;
    __irkiss_born(fops);
    return major == 0 ? (int)dynamic_major() : 0;
}

int register_chrdev_region(u32, unsigned int, const char *)
{
    return irkiss_may_fail(EBUSY);
}

int alloc_chrdev_region(u32 *device, unsigned int first, unsigned int, const char *)
{
    if (__irkiss_nondet_bool())
        return -EBUSY;
    *device = dynamic_major() << 20 | (first & 0xfffffu);
    return 0;
}

void unregister_chrdev_region(u32, unsigned int)
{
}

/* ---- I/O resources: exclusive while held; whether they are free is arbitrary. ---- */
#ifdef __m68k__
/* On m68k the address of a device's registers is a pointer as it is (drivers/block/swim.c), and they are read by plain volatile
 * accesses (arch/m68k/include/asm/raw_io.h: in_8): the frontend turns these into calls of the functions here. What is read of a register
 * is arbitrary. */
static char *volatile registers;
#define REGISTERS 0x10000

static _Bool is_register(const volatile void *at)
{
    return registers && (uptr)at - (uptr)registers < REGISTERS;
}

u8 __irkiss_read_8(const volatile u8 *at)
{
    return is_register(at) ? __irkiss_nondet_u8() : *at;
}

u16 __irkiss_read_16(const volatile u16 *at)
{
    return is_register(at) ? __irkiss_nondet_u16() : *at;
}
#endif

/* Resources of a platform device. */
void *platform_get_resource(void *, u32, u32)
{
    void *resource;
    if (__irkiss_nondet_bool())
        return NULL;
    resource = __irkiss_lazy(0, "resource");
#ifdef __m68k__
    registers = __irkiss_lazy(REGISTERS, "registers");
    *(void *volatile *)resource = registers;
#endif
    return resource;
}

void *__request_region(void *, u64, u64, const char *, int)
{
    return __irkiss_nondet_ptr();
}

void __release_region(void *, u64, u64)
{
}

void *__devm_request_region(void *, void *, u64, u64, const char *)
{
    return __irkiss_nondet_ptr();
}

/* drivers/char/xillybus/xillybus_class.c: what the driver of the device has handed to xillybus_init_chrdev. There is one device, and
 * its first node is opened. */
extern char xillybus_private_data[];

int xillybus_find_inode(void *, void **private_data, int *index)
{
    if (__irkiss_nondet_bool())
        return -19; /* ENODEV */
    *private_data = xillybus_private_data;
    *index = 0;
    return 0;
}

/* ---- Block devices. ---- */
u64 __irkiss_sizeof__blk_mq_tag_set(void);
u64 __irkiss_offsetof__blk_mq_tag_set__ops(void);

/* block/blk-mq.c: fills the set in (the numbers in it are nobody's but the block layer's). */
int blk_mq_alloc_sq_tag_set(void *set, void *ops, u32, u32)
{
    u64 place = __irkiss_offsetof__blk_mq_tag_set__ops();
    __builtin_memset(set, 0, __irkiss_sizeof__blk_mq_tag_set());
    if (place != ~0ull)
        *(void **)((char *)set + place) = ops;
    return irkiss_may_fail(ENOMEM);
}

/* The tag of a set that has only one (block/blk-mq-tag.c): who has it is given the next request when this one is over. */
static char tag;

void blk_mq_get_tag(void)
{
    irkiss_lock(&tag);
}

void blk_mq_put_tag(void)
{
    _Bool mine;
    IRKISS_ATOMIC(mine = __irkiss_ghost_get(&tag, IRKISS_GHOST_OWNER) == irkiss_me());
    if (mine)
        irkiss_unlock(&tag);
}

void blk_mq_end_request(void *, u8)
{
    blk_mq_put_tag();
}

void __blk_mq_end_request(void *, u8)
{
    blk_mq_put_tag();
}

void blk_mq_complete_request(void *)
{
    blk_mq_put_tag();
}

_Bool blk_mq_complete_request_remote(void *)
{
    blk_mq_put_tag();
    return __irkiss_nondet_bool();
}

void blk_mq_end_request_batch(void *)
{
    blk_mq_put_tag();
}

void blk_mq_requeue_request(void *, _Bool)
{
    blk_mq_put_tag();
}

void blk_mq_free_request(void *)
{
    blk_mq_put_tag();
}

/* ---- /proc. ---- */
void *proc_mkdir(const char *, void *)
{
    return __irkiss_nondet_ptr();
}

/* ---- Devices, classes, attributes, drivers. ---- */
/* A pointer, or an error pointer. */
static void *object_or_error(const char *name)
{
    return __irkiss_nondet_bool() ? irkiss_error_pointer(ENOMEM) : __irkiss_lazy(0, name);
}

/* fs/debugfs/inode.c: debugfs_remove of a directory removes what lies in it. */
void *debugfs_create_dir(const char *, const void *parent)
{
    void *directory;
    if (irkiss_is_error(parent) || __irkiss_nondet_bool())
        return irkiss_error_pointer(ENOMEM);
    directory = __irkiss_lazy(0, "dentry");
    __irkiss_put_within(directory, parent);
    return directory;
}

void *__class_create(void *, const char *, void *)
{
    return object_or_error("class");
}

void *class_create(const char *)
{
    return object_or_error("class");
}

void class_destroy(const void *)
{
}

int class_register(const void *)
{
    return irkiss_may_fail(ENOMEM);
}

int __class_register(void *, void *)
{
    return irkiss_may_fail(ENOMEM);
}

void class_unregister(const void *)
{
}

void *device_create(const void *, void *, u32, void *, const char *, ...)
{
    return object_or_error("device");
}

void *platform_device_alloc(const char *, int)
{
    return __irkiss_nondet_bool() ? NULL : __irkiss_lazy(0, "platform_device");
}

int platform_device_add(void *)
{
    return irkiss_may_fail(ENOMEM);
}

void platform_device_del(void *)
{
}

void platform_device_put(void *)
{
}

void platform_device_unregister(void *)
{
}

int platform_device_register(void *)
{
    return irkiss_may_fail(ENOMEM);
}

void *platform_device_register_full(const void *)
{
    return object_or_error("platform_device");
}

int pci_enable_device(void *)
{
    return irkiss_may_fail(EIO);
}

void pci_disable_device(void *)
{
}

void pci_set_master(void *)
{
}

int pci_request_regions(void *, const char *)
{
    return irkiss_may_fail(EBUSY);
}

void pci_release_regions(void *)
{
}

/* References keep objects alive; objects of the driver core are never freed here. */
void *get_device(void *device)
{
    return device;
}

void put_device(void *)
{
}

/* drivers/base/core.c: dev_err_probe: tells the error, and gives it back. */
int dev_err_probe(const void *, int error, const char *, ...)
{
    return error;
}

int dev_set_name(void *, const char *, ...)
{
    return irkiss_may_fail(ENOMEM);
}

/* ---- Modules. ---- */
/*
 * References that keep a module: kernel/module/main.c: delete_module does nothing while there are some, and makes it one that is
 * going (try_stop_module), of which nobody gets a reference any more (try_module_get: module_is_live).
 */
void __module_get(void *module)
{
    if (module)
        IRKISS_ATOMIC(__irkiss_ghost_set(module, IRKISS_GHOST_COUNT, __irkiss_ghost_get(module, IRKISS_GHOST_COUNT) + 1));
}

_Bool try_module_get(void *module)
{
    _Bool live = 1;
    if (__irkiss_nondet_bool())
        return 0;
    if (!module)
        return 1;
    IRKISS_ATOMIC({
        live = __irkiss_ghost_get(module, IRKISS_GHOST_GOING) == 0;
        if (live)
            __irkiss_ghost_set(module, IRKISS_GHOST_COUNT, __irkiss_ghost_get(module, IRKISS_GHOST_COUNT) + 1);
    });
    return live;
}

void module_put(void *module)
{
    if (module)
        IRKISS_ATOMIC(__irkiss_ghost_set(module, IRKISS_GHOST_COUNT, __irkiss_ghost_get(module, IRKISS_GHOST_COUNT) - 1));
}

/* Called by the harness before module exit: it comes when nobody has a reference. */
extern const u8 __this_module;
void __irkiss_unreferenced(void)
{
    IRKISS_ATOMIC({
        __irkiss_assume((s64)__irkiss_ghost_get(&__this_module, IRKISS_GHOST_COUNT) <= 0);
        __irkiss_ghost_set(&__this_module, IRKISS_GHOST_GOING, 1);
    });
}

_Bool capable(int)
{
    return __irkiss_nondet_bool();
}

/* drivers/gpio/gpiolib.c: gpio_to_desc: one descriptor for one number. Which one it is of more than eight is not told apart; what lies in it is
 * the kernel's own. A number of no line is taken for one of a line of which everything fails. */
static u64 lines[8];
void *gpio_to_desc(u32 number)
{
    return (s32)number < 0 ? NULL : &lines[number & 7];
}

/* drivers/gpio/gpiolib.c: gpiod_to_irq: one interrupt for one line, or an error, however often it is asked; an error without a descriptor. */
int gpiod_to_irq(const void *line)
{
    u64 irq;
    if (line == NULL || ((ssize)(uptr)line < 0 && (ssize)(uptr)line >= -4095))
        return -EINVAL;
    __irkiss_atomic_begin();
    irq = __irkiss_ghost_get((void *)line, IRKISS_GHOST_LINE_IRQ);
    if (irq == 0) {
        irq = 1 + (u64)__irkiss_nondet_u32();
        __irkiss_ghost_set((void *)line, IRKISS_GHOST_LINE_IRQ, irq);
    }
    __irkiss_atomic_end();
    return irq == 1 ? -ENXIO : (int)(u32)(irq - 1);
}

/* The numbers of a device's interrupts do not change while it is there: once asked for one, the answer stays the same. Which one it is of
 * more than eight is not told apart. */
static int interrupt(const void *device, u32 n)
{
    u32 kind = IRKISS_GHOST_INTERRUPTS + (n & 7);
    u64 irq;
    __irkiss_atomic_begin();
    irq = __irkiss_ghost_get((void *)device, kind);
    if (irq == 0) {
        irq = __irkiss_nondet_u32();
        __irkiss_assume(irq > 0 && irq <= 0x7fffffff);
        __irkiss_ghost_set((void *)device, kind, irq);
    }
    __irkiss_atomic_end();
    return (int)irq;
}

int __irkiss_vector(void *device, u32 n)
{
    return interrupt(device, n);
}

/* The same, or an error code as long as it has none. */
static int asked_for(const void *device, u32 n)
{
    _Bool none;
    int error = (int)__irkiss_nondet_u32();
    IRKISS_ATOMIC(none = __irkiss_ghost_get((void *)device, IRKISS_GHOST_INTERRUPTS + (n & 7)) == 0);
    if (none && __irkiss_nondet_bool()) {
        __irkiss_assume(error < 0 && error >= -4095);
        return error;
    }
    return interrupt(device, n);
}

/* drivers/base/platform.c: platform_get_irq, platform_get_irq_optional: never 0; an interrupt is mapped once, and found again. */
int platform_get_irq(const void *device, unsigned int n)
{
    return asked_for(device, n);
}

int platform_get_irq_optional(const void *device, unsigned int n)
{
    return asked_for(device, n);
}

/* drivers/pci/msi/msi.c: pci_irq_vector. */
int pci_irq_vector(const void *device, unsigned int n)
{
    return asked_for(device, n);
}
