// A device with an object for each open file. What FORGETS, FORGETS_TWICE, READER and OTHER break is what the tests look for.
#include "kernel.h"

struct foo {
    int bar;
    struct mutex lock;
    int baz;
    int twice;
    int calm;
};

static DEFINE_MUTEX(other);

static int foo_open(struct inode *inode, struct file *file)
{
    struct foo *f = __kmalloc(sizeof(*f), GFP_KERNEL);
    if (!f)
        return -12;
    __mutex_init(&f->lock, "foo", NULL);
    f->bar = 1; // nobody else knows f
    f->baz = 2;
    f->calm = 3;
    file->private_data = f;
    return 0;
}

static ssize_t foo_read(struct file *file, char __user *buffer, size_t size, loff_t *position)
{
    struct foo *f = file->private_data;
    int bar;
    mutex_lock(&f->lock);
    bar = f->bar;
    f->baz = bar;
    f->twice = f->calm;
    mutex_unlock(&f->lock);
    return bar;
}

static ssize_t foo_write(struct file *file, const char __user *buffer, size_t size, loff_t *position)
{
    struct foo *f = file->private_data;
    mutex_lock(&f->lock);
    f->bar = size;
    f->baz++;
    f->twice = 2;
    mutex_unlock(&f->lock);
    return size;
}

#ifdef OTHER
#define GUARD (&other)
#else
#define GUARD (&f->lock)
#endif

static void reset(struct foo *f)
{
    f->bar = 0; // LINE reset
}

static long foo_ioctl(struct file *file, unsigned int command, unsigned long argument)
{
    struct foo *f = file->private_data;
    mutex_lock(GUARD);
    reset(f);
    f->twice = 3;
    mutex_unlock(GUARD);
#ifdef FORGETS_TWICE
    f->twice = 4;
#endif
    return 0;
}

static loff_t foo_llseek(struct file *file, loff_t offset, int origin)
{
    struct foo *f = file->private_data;
#ifdef FORGETS
    reset(f);
#elif defined(READER)
    return READ_ONCE(f->bar); // LINE reader
#endif
#ifdef FORGETS_TWICE
    f->twice = 5;
#endif
    return 0;
}

static const struct file_operations foo_fops = {
    .owner = THIS_MODULE,
    .open = foo_open,
    .read = foo_read,
    .write = foo_write,
    .unlocked_ioctl = foo_ioctl,
    .llseek = foo_llseek,
};

static struct miscdevice foo_device = {
    .minor = MISC_DYNAMIC_MINOR,
    .name = "foo",
    .fops = &foo_fops,
};

static int foo_init(void)
{
    return misc_register(&foo_device);
}

static void foo_exit(void)
{
    misc_deregister(&foo_device);
}

module_init(foo_init)
module_exit(foo_exit)
