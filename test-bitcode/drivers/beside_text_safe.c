// irkiss: --tier kiss ; expect: none ; lazy: yes
//
// A pointer beside a text into which characters go at an index that the object says. All is done under the lock.
#include "kernel.h"

struct peer {
    int count;
};

struct line {
    spinlock_t lock;
    unsigned int used;
    char text[16];
    struct peer *peer;
};
extern struct line *others_line;

static ssize_t beside_text_read(struct file *file, char __user *buffer, size_t size, loff_t *position)
{
    struct line *line = others_line;

    spin_lock(&line->lock);
    line->text[line->used] = (char)size;
    line->peer->count++;
    spin_unlock(&line->lock);
    return 0;
}

static ssize_t beside_text_write(struct file *file, const char __user *buffer, size_t size, loff_t *position)
{
    struct line *line = others_line;

    spin_lock(&line->lock);
    line->peer->count++;
    spin_unlock(&line->lock);
    return 0;
}

static const struct file_operations beside_text_fops = {
    .owner = THIS_MODULE,
    .read = beside_text_read,
    .write = beside_text_write,
};

static struct miscdevice beside_text_device = {
    .minor = MISC_DYNAMIC_MINOR,
    .name = "beside_text",
    .fops = &beside_text_fops,
};

static int beside_text_init(void)
{
    return misc_register(&beside_text_device);
}

static void beside_text_exit(void)
{
    misc_deregister(&beside_text_device);
}

module_init(beside_text_init)
module_exit(beside_text_exit)
