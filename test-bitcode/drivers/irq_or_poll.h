// A charger whose state an interrupt handler or a thread that polls brings up to date.
#include "part_linux.h"

struct task_struct;
extern struct task_struct *kthread_create_on_node(int (*thread)(void *data), void *data, int node, const char *name, ...);
extern int wake_up_process(struct task_struct *task);
extern int kthread_stop(struct task_struct *task);

struct charger {
	struct task_struct *poll;
	spinlock_t lock;
	int online, polls;
};

static int charger_poll(void *data);

static int charger_poll_begin(struct charger *charger)
{
	charger->poll = kthread_create_on_node(charger_poll, charger, -1, "charger");
	if (IS_ERR(charger->poll))
		return (int)PTR_ERR(charger->poll);
	wake_up_process(charger->poll);
	return 0;
}

static int charger_probe(struct platform_device *pdev);

static int charger_remove(struct platform_device *pdev)
{
	struct charger *charger = platform_get_drvdata(pdev);

	if (charger->poll)
		kthread_stop(charger->poll);
	return 0;
}

static struct platform_driver charger_driver = { .probe = charger_probe, .remove = charger_remove, .driver = { .name = "charger" } };

int init_module(void)
{
	return platform_driver_register(&charger_driver);
}

void cleanup_module(void)
{
	platform_driver_unregister(&charger_driver);
}
