// irkiss: ; expect: race ; lazy: yes
//
// The race needs a terminal of that number, which the kernel makes: the report says so, and nothing of what does not matter.
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

int count;
int seen;

static int demo_tiocmset(struct tty_struct *tty, unsigned int set, unsigned int clear)
{
    WRITE_ONCE(seen, tty->magic);
    if (tty->index == 3)
        count++; // RACE
    return 0;
}

static const struct tty_operations demo_ops = { .tiocmset = demo_tiocmset };
static struct tty_driver demo_driver = { .name = "demo", .ops = &demo_ops };

static int demo_init(void)
{
    return tty_register_driver(&demo_driver);
}

module_init(demo_init)
