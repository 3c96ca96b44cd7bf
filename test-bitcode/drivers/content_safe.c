// irkiss: ; expect: none ; lazy: yes
//
// As content_racy.c, with a lock: nothing is left whatever number the terminal has.
#include "kernel.h"

struct tty_struct {
    int magic;
    int index;
};
struct tty_operations {
    int (*tiocmset)(struct tty_struct *, unsigned int, unsigned int);
};
struct tty_driver {
    const char *name;
    const struct tty_operations *ops;
};
extern int tty_register_driver(struct tty_driver *driver);

static DEFINE_MUTEX(count_lock);
int count;
int seen;

static int demo_tiocmset(struct tty_struct *tty, unsigned int set, unsigned int clear)
{
    WRITE_ONCE(seen, tty->magic);
    if (tty->index == 3) {
        mutex_lock(&count_lock);
        count++; // NORACE
        mutex_unlock(&count_lock);
    }
    return 0;
}

static const struct tty_operations demo_ops = { .tiocmset = demo_tiocmset };
static struct tty_driver demo_driver = { .name = "demo", .ops = &demo_ops };

static int demo_init(void)
{
    return tty_register_driver(&demo_driver);
}

module_init(demo_init)
