// irkiss: --property deadlock ; forms: nopass ; expect: none ; lazy: yes
//
// As chain_changed_fails.c, but it registers without the mutex.
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
	mutex_lock(&lock);
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
	mutex_unlock(&lock);
	if (first)
		register_pm_notifier(&other_block);
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
