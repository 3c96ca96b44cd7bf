// irkiss: ; expect: none ; lazy: yes
//
// Who starts or ends a transition of the system's power tells all notifiers with a mutex held: none runs beside itself.
#include "kernel.h"

struct notifier_block {
    int (*notifier_call)(struct notifier_block *block, unsigned long event, void *data);
};
extern int register_pm_notifier(struct notifier_block *block);
extern int unregister_pm_notifier(struct notifier_block *block);

static int transitions;

static int demo_notify(struct notifier_block *block, unsigned long event, void *data)
{
    transitions++; // NORACE
    return 0;
}

static struct notifier_block demo_block = { .notifier_call = demo_notify };

static int demo_init(void)
{
    return register_pm_notifier(&demo_block);
}

static void demo_exit(void)
{
    unregister_pm_notifier(&demo_block);
}

module_init(demo_init)
module_exit(demo_exit)
