// irkiss: ; expect: race ; lazy: yes
//
// An input device is closed while the timer that opening it arms runs: closing does not wait for it.
#include "kernel.h"

struct input_dev {
    const char *name;
    int (*open)(struct input_dev *);
    void (*close)(struct input_dev *);
};
extern struct input_dev *input_allocate_device(void);
extern int input_register_device(struct input_dev *device);

static struct timer_list poll;
static int rate;

static void poll_timer(struct timer_list *timer)
{
    rate++; // RACE
}

static int pad_open(struct input_dev *device)
{
    rate = 5; // NORACE
    timer_setup(&poll, poll_timer, 0);
    mod_timer(&poll, 100);
    return 0;
}

static void pad_close(struct input_dev *device)
{
    del_timer(&poll);
    rate = 0; // RACE
}

static int pad_init(void)
{
    struct input_dev *device = input_allocate_device();
    if (!device)
        return -ENOMEM;
    device->open = pad_open;
    device->close = pad_close;
    return input_register_device(device);
}

module_init(pad_init)
