// irkiss: --property lock-misuse ; expect: none
//
// A chain of notifiers that is gone through under RCU (kernel/notifier.c: atomic_notifier_call_chain): nobody sleeps in one.
#include "../drivers/net.h"

struct notifier_block {
    int (*notifier_call)(struct notifier_block *, unsigned long, void *);
    struct notifier_block *next;
    int priority;
};
extern int register_keyboard_notifier(struct notifier_block *);
extern int unregister_keyboard_notifier(struct notifier_block *);

static DEFINE_SPINLOCK(registers);
static int keys;

static int key_pressed(struct notifier_block *block, unsigned long action, void *data)
{
    unsigned long flags;

    spin_lock_irqsave(&registers, flags);
    keys++;
    spin_unlock_irqrestore(&registers, flags);
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
