// irkiss: ; expect: race ; lazy: yes
//
// Callbacks of a state with instances get what the driver has put on the list of the state (kernel/cpu.c: cpuhp_invoke_callback).
#include "part_linux.h"

extern int __cpuhp_setup_state(int state, const char *name, bool invoke, int (*startup)(unsigned int), int (*teardown)(unsigned int), bool multi);
extern int __cpuhp_state_add_instance(int state, struct hlist_node *node, bool invoke);
extern int __cpuhp_state_remove_instance(int state, struct hlist_node *node, bool invoke);

/* As include/linux/cpuhotplug.h has it. */
static inline int cpuhp_setup_state_multi(int state, const char *name, int (*startup)(unsigned int, struct hlist_node *), int (*teardown)(unsigned int, struct hlist_node *))
{
	return __cpuhp_setup_state(state, name, false, (int (*)(unsigned int))startup, (int (*)(unsigned int))teardown, true);
}

struct demo {
	spinlock_t lock;
	struct timer_list timer;
	struct hlist_node node;
	int value;
};

static void demo_tick(struct timer_list *timer)
{
	struct demo *demo = container_of(timer, struct demo, timer);

	spin_lock_bh(&demo->lock);
	demo->value++; // RACE
	spin_unlock_bh(&demo->lock);
	mod_timer(timer, jiffies + 1);
}

static int demo_online(unsigned int cpu, struct hlist_node *node)
{
	struct demo *demo = container_of(node, struct demo, node);

	demo->value = 0; // RACE
	return 0;
}

static int demo_probe(struct platform_device *pdev)
{
	struct demo *demo = devm_kzalloc(&pdev->dev, sizeof(*demo), GFP_KERNEL);

	if (!demo)
		return -ENOMEM;
	platform_set_drvdata(pdev, demo);
	spin_lock_init(&demo->lock);
	timer_setup(&demo->timer, demo_tick, 0);
	mod_timer(&demo->timer, jiffies + 1);
	if (cpuhp_setup_state_multi(200, "demo", demo_online, NULL) < 0)
		return -EINVAL;
	return __cpuhp_state_add_instance(200, &demo->node, false);
}

static int demo_remove(struct platform_device *pdev)
{
	struct demo *demo = platform_get_drvdata(pdev);

	__cpuhp_state_remove_instance(200, &demo->node, false);
	del_timer_sync(&demo->timer);
	return 0;
}

static struct platform_driver demo_driver = { .probe = demo_probe, .remove = demo_remove, .driver = { .name = "demo" } };

int init_module(void)
{
	return platform_driver_register(&demo_driver);
}

void cleanup_module(void)
{
	platform_driver_unregister(&demo_driver);
}
