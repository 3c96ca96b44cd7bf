// irkiss: ; expect: race ; lazy: yes
//
// A terminal is opened by each of its users: what one opens, another writes to already.
#include "kernel.h"

struct tty_struct {
    int magic;
    struct mutex legacy_mutex;
};
struct tty_operations {
    int (*open)(struct tty_struct *, struct file *);
    int (*write)(struct tty_struct *, const unsigned char *, int);
};
struct tty_driver {
    const char *name;
    const struct tty_operations *ops;
};
extern int tty_register_driver(struct tty_driver *driver);

int sent;

static int demo_open(struct tty_struct *tty, struct file *file)
{
    sent = 0; // RACE
    return 0;
}

// Under a lock of its own, since several callers may write.
static DEFINE_MUTEX(write_mutex);

static int demo_write(struct tty_struct *tty, const unsigned char *data, int count)
{
    mutex_lock(&write_mutex);
    sent += count; // RACE
    mutex_unlock(&write_mutex);
    return count;
}

static const struct tty_operations demo_ops = {
    .open = demo_open,
    .write = demo_write,
};
static struct tty_driver demo_driver = { .name = "demo", .ops = &demo_ops };

static int demo_init(void)
{
    return tty_register_driver(&demo_driver);
}

module_init(demo_init)
