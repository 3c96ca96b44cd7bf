// irkiss: ; forms: o2 ; expect: none ; suppressed: seqcount
//
// Optimised code has the functions of a sequence lock inline: the writer's plain increments of the count race with readers, as they are meant to.
#include "platform.h"

typedef struct seqcount {
    unsigned int sequence;
} seqcount_t;

# 460 "include/linux/seqlock.h"
static inline void do_raw_write_seqcount_begin(seqcount_t *count)
{
    count->sequence++;
    __asm__ volatile("" ::: "memory");
}

static inline void do_raw_write_seqcount_end(seqcount_t *count)
{
    __asm__ volatile("" ::: "memory");
    count->sequence++;
}

static inline unsigned int read_seqcount_begin(const seqcount_t *count)
{
    return READ_ONCE(count->sequence) & ~1u;
}

static inline int read_seqcount_retry(const seqcount_t *count, unsigned int start)
{
    return READ_ONCE(count->sequence) != start;
}
# 33 "drivers/seqcount_inlined_safe.c"

static DEFINE_MUTEX(lock);
static seqcount_t count;
static int value;

static ssize_t demo_write(struct file *file, const char __user *buffer, size_t size, loff_t *position)
{
    mutex_lock(&lock);
    do_raw_write_seqcount_begin(&count);
    WRITE_ONCE(value, size);
    do_raw_write_seqcount_end(&count);
    mutex_unlock(&lock);
    return size;
}

static ssize_t demo_read(struct file *file, char __user *buffer, size_t size, loff_t *position)
{
    unsigned int start = read_seqcount_begin(&count);
    int now = READ_ONCE(value);

    return read_seqcount_retry(&count, start) ? -11 : now;
}

static const struct file_operations demo_fops = { .owner = THIS_MODULE, .read = demo_read, .write = demo_write };
static struct miscdevice demo_device = { .minor = MISC_DYNAMIC_MINOR, .name = "demo", .fops = &demo_fops };

static int demo_probe(struct platform_device *pdev)
{
    return misc_register(&demo_device);
}

static int demo_remove(struct platform_device *pdev)
{
    misc_deregister(&demo_device);
    return 0;
}

static struct platform_driver demo_driver = { .probe = demo_probe, .remove = demo_remove, .driver = { .name = "demo" } };

PLATFORM_MODULE(demo_driver)
