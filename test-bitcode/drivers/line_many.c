// irkiss: --pair demo_stop,demo_start ; expect: race ; lazy: yes
//
// As line_one.c, but the board has four lines, of which one may be started while another is stopped, and they share a count.
#include "kernel.h"

struct tty_driver;
struct tty_struct {
    void *driver_data;
};
struct tty_operations {
    void (*stop)(struct tty_struct *);
    void (*start)(struct tty_struct *);
};
extern struct tty_driver *__tty_alloc_driver(unsigned int lines, struct module *owner, unsigned long flags);
extern void demo_operations(struct tty_driver *driver, const struct tty_operations *operations);

static int stopped;

static void demo_stop(struct tty_struct *tty)
{
    stopped++; // RACE
}

static void demo_start(struct tty_struct *tty)
{
    stopped--; // RACE
}

static const struct tty_operations demo_ops = { .stop = demo_stop, .start = demo_start };

static int demo_init(void)
{
    struct tty_driver *driver = __tty_alloc_driver(4, THIS_MODULE, 0);
    if (!driver)
        return -ENOMEM;
    demo_operations(driver, &demo_ops);
    return 0;
}

module_init(demo_init)
