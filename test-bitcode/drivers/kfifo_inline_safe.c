// irkiss: ; expect: none
//
// A ring between one writer and one reader, by the macros that stand in the driver itself: each reads the other's index, and needs no lock.
#include "kernel.h"

struct __kfifo {
    unsigned int in, out, mask, esize;
    void *data;
};
struct ring {
    struct __kfifo kfifo;
    unsigned char slots[4];
};

static struct ring ring;
static DEFINE_MUTEX(readers);
static DEFINE_MUTEX(writers);

/* kfifo_put */
static int put(struct ring *to, unsigned char value)
{
    struct __kfifo *fifo = &to->kfifo;

    if (fifo->in - fifo->out > fifo->mask)
        return 0;
    to->slots[fifo->in & fifo->mask] = value;
    fifo->in++;
    return 1;
}

/* kfifo_get */
static int get(struct ring *from, unsigned char *value)
{
    struct __kfifo *fifo = &from->kfifo;

    if (fifo->in == fifo->out)
        return 0;
    *value = from->slots[fifo->out & fifo->mask];
    fifo->out++;
    return 1;
}

static ssize_t demo_read(struct file *file, char __user *buffer, size_t bytes, loff_t *position)
{
    unsigned char value = 0;
    int taken;

    mutex_lock(&readers);
    taken = get(&ring, &value);
    mutex_unlock(&readers);
    return taken ? value : 0;
}

static ssize_t demo_write(struct file *file, const char __user *buffer, size_t bytes, loff_t *position)
{
    mutex_lock(&writers);
    put(&ring, 1);
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
    ring.kfifo.mask = 3;
    ring.kfifo.esize = 1;
    ring.kfifo.data = ring.slots;
    put(&ring, 1);
    put(&ring, 2);
    return misc_register(&demo_device);
}

module_init(demo_init)
