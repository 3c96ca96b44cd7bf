// irkiss: ; expect: none ; lazy: yes
//
// Opening and closing hold the terminal's lock, also while the port is set up; who waits takes it again before he goes on.
#include "kernel.h"

struct tty_struct {
    int magic;
    struct mutex legacy_mutex;
};
struct tty_operations {
    int (*open)(struct tty_struct *, struct file *);
    void (*close)(struct tty_struct *, struct file *);
};
struct tty_driver {
    const char *name;
    const struct tty_operations *ops;
};
extern int tty_register_driver(struct tty_driver *driver);
extern void tty_lock(struct tty_struct *tty);
extern void tty_unlock(struct tty_struct *tty);

int count;

static int demo_open(struct tty_struct *tty, struct file *file)
{
    tty_unlock(tty);
    tty_lock(tty);
    count++; // NORACE
    return 0;
}

static void demo_close(struct tty_struct *tty, struct file *file)
{
    count--; // NORACE
}

static const struct tty_operations demo_ops = {
    .open = demo_open,
    .close = demo_close,
};
static struct tty_driver demo_driver = { .name = "demo", .ops = &demo_ops };

static int demo_init(void)
{
    return tty_register_driver(&demo_driver);
}

module_init(demo_init)
