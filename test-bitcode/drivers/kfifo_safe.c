// irkiss: ; expect: none
//
// A ring between one writer and one reader, who need no lock; several of each take turns.
#include "kernel.h"

struct __kfifo {
    unsigned int in, out, mask, esize;
    void *data;
};
extern int __kfifo_alloc(struct __kfifo *fifo, unsigned int size, size_t esize, unsigned int flags);
extern void __kfifo_free(struct __kfifo *fifo);
extern unsigned int __kfifo_in(struct __kfifo *fifo, const void *from, unsigned int count);
extern unsigned int __kfifo_out(struct __kfifo *fifo, void *to, unsigned int count);

static struct __kfifo fifo;
static DEFINE_MUTEX(readers);
static DEFINE_MUTEX(writers);

static ssize_t demo_read(struct file *file, char __user *buffer, size_t bytes, loff_t *position)
{
    unsigned int taken, value = 0;

    mutex_lock(&readers);
    taken = __kfifo_out(&fifo, &value, 1);
    mutex_unlock(&readers);
    return taken + value;
}

static ssize_t demo_write(struct file *file, const char __user *buffer, size_t bytes, loff_t *position)
{
    unsigned int value = 1;

    mutex_lock(&writers);
    __kfifo_in(&fifo, &value, 1);
    mutex_unlock(&writers);
    return 1;
}

static const struct file_operations demo_fops = {
    .owner = THIS_MODULE,
    .read = demo_read,
    .write = demo_write,
};

static struct miscdevice demo_device = { .minor = 255, .name = "demo", .fops = &demo_fops };

static int demo_init(void)
{
    if (__kfifo_alloc(&fifo, 4, sizeof(int), GFP_KERNEL))
        return -ENOMEM;
    return misc_register(&demo_device);
}

module_init(demo_init)
