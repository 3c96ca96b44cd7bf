// irkiss: --tier kiss ; expect: none ; lazy: yes
//
// A bit of a single word, by a number that another file has chosen. Whatever the number is, the bit lies in the word that is named, not in what stands beside it.
#include "kernel.h"

struct unit {
    unsigned long left;
    unsigned long mask;
    unsigned long right;
};
static struct unit unit;
struct line {
    unsigned long number;
};
extern struct line *others_line;
static DEFINE_SPINLOCK(word_lock);
static DEFINE_SPINLOCK(bit_lock);

static ssize_t word_read(struct file *file, char __user *buffer, size_t size, loff_t *position)
{
    spin_lock(&word_lock);
    unit.left = 0;
    unit.right = 0;
    spin_unlock(&word_lock);
    return 0;
}

static ssize_t word_write(struct file *file, const char __user *buffer, size_t size, loff_t *position)
{
    spin_lock(&bit_lock);
    asm volatile("btsq %1,%0" : : "m"(unit.mask), "Ir"(others_line->number) : "memory");
    spin_unlock(&bit_lock);
    return 0;
}

static const struct file_operations word_fops = {
    .owner = THIS_MODULE,
    .read = word_read,
    .write = word_write,
};

static struct miscdevice word_device = {
    .minor = MISC_DYNAMIC_MINOR,
    .name = "word",
    .fops = &word_fops,
};

static int word_init(void)
{
    return misc_register(&word_device);
}

static void word_exit(void)
{
    misc_deregister(&word_device);
}

module_init(word_init)
module_exit(word_exit)
