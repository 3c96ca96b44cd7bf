// irkiss: --property deadlock ; forms: nopass ; expect: finds ; lazy: yes
//
// A blocking chain is called under its semaphore, which who registers takes for writing (kernel/notifier.c): here within the mutex that the
// callback takes.
#include "../drivers/part_linux.h"

struct notifier_block {
	int (*notifier_call)(struct notifier_block *, unsigned long, void *);
	struct notifier_block *next;
	int priority;
};
extern int register_pm_notifier(struct notifier_block *block);
extern int unregister_pm_notifier(struct notifier_block *block);

static DEFINE_MUTEX(lock);
static int asleep, watched;

static int demo_event(struct notifier_block *block, unsigned long event, void *data)
{
	mutex_lock(&lock); // FINDS:deadlock
	asleep = event == 3;
	mutex_unlock(&lock);
	return 1;
}

static struct notifier_block demo_block = { .notifier_call = demo_event };
static struct notifier_block other_block = { .notifier_call = demo_event };

static long demo_ioctl(struct file *file, unsigned int command, unsigned long argument)
{
	int first;

	mutex_lock(&lock);
	first = !watched;
	watched = 1;
	if (first)
		register_pm_notifier(&other_block); // FINDS:deadlock
	mutex_unlock(&lock);
	return 0;
}

static const struct file_operations demo_operations = { .owner = THIS_MODULE, .unlocked_ioctl = demo_ioctl };
static struct miscdevice demo_misc = { .minor = MISC_DYNAMIC_MINOR, .name = "demo", .fops = &demo_operations };

int init_module(void)
{
	int error = register_pm_notifier(&demo_block);

	if (error)
		return error;
	error = misc_register(&demo_misc);
	if (error)
		unregister_pm_notifier(&demo_block);
	return error;
}

void cleanup_module(void)
{
	misc_deregister(&demo_misc);
	unregister_pm_notifier(&other_block);
	unregister_pm_notifier(&demo_block);
}
