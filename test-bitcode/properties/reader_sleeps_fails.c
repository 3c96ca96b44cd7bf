// irkiss: --property lock-misuse ; expect: finds
//
// As reader_sleeps_holds.c, but with a mutex.
#include "../drivers/net.h"

struct notifier_block {
    int (*notifier_call)(struct notifier_block *, unsigned long, void *);
    struct notifier_block *next;
    int priority;
};
extern int register_keyboard_notifier(struct notifier_block *);
extern int unregister_keyboard_notifier(struct notifier_block *);

static DEFINE_MUTEX(table);
static int keys;

static int key_pressed(struct notifier_block *block, unsigned long action, void *data)
{
    mutex_lock(&table); // FINDS:sleep-in-atomic
    keys++;
    mutex_unlock(&table);
    return 0;
}

static struct notifier_block keyboard = { .notifier_call = key_pressed };

static int demo_init(void)
{
    return register_keyboard_notifier(&keyboard);
}

static void demo_exit(void)
{
    unregister_keyboard_notifier(&keyboard);
}

module_init(demo_init)
module_exit(demo_exit)
