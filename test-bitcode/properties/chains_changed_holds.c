// irkiss: --property deadlock ; forms: nopass ; expect: none ; lazy: yes
//
// Who registers with a chain gives its semaphore back: with each of them twice, one after the other.
#include "../drivers/part_linux.h"

struct notifier_block {
	int (*notifier_call)(struct notifier_block *, unsigned long, void *);
	struct notifier_block *next;
	int priority;
};
extern int register_pm_notifier(struct notifier_block *block);
extern int register_reboot_notifier(struct notifier_block *block);
extern int register_oom_notifier(struct notifier_block *block);
extern int register_memory_notifier(struct notifier_block *block);
extern void usb_register_notify(struct notifier_block *block);
extern int register_inetaddr_notifier(struct notifier_block *block);
extern int register_acpi_notifier(struct notifier_block *block);
extern int cpufreq_register_notifier(struct notifier_block *block, unsigned int list);

static int events;

static int demo_event(struct notifier_block *block, unsigned long event, void *data)
{
	WRITE_ONCE(events, 1);
	return 1;
}

static struct notifier_block blocks[8][2] = {
	[0 ... 7] = { { .notifier_call = demo_event }, { .notifier_call = demo_event } },
};

static ssize_t demo_write(struct file *file, const char *buffer, size_t count, loff_t *position)
{
	register_pm_notifier(&blocks[0][0]);
	register_pm_notifier(&blocks[0][1]);
	register_reboot_notifier(&blocks[1][0]);
	register_reboot_notifier(&blocks[1][1]);
	register_oom_notifier(&blocks[2][0]);
	register_oom_notifier(&blocks[2][1]);
	register_memory_notifier(&blocks[3][0]);
	register_memory_notifier(&blocks[3][1]);
	usb_register_notify(&blocks[4][0]);
	usb_register_notify(&blocks[4][1]);
	register_inetaddr_notifier(&blocks[5][0]);
	register_inetaddr_notifier(&blocks[5][1]);
	register_acpi_notifier(&blocks[6][0]);
	register_acpi_notifier(&blocks[6][1]);
	cpufreq_register_notifier(&blocks[7][0], 1);
	cpufreq_register_notifier(&blocks[7][1], 1);
	return count;
}

static const struct file_operations demo_operations = { .owner = THIS_MODULE, .write = demo_write };
static struct miscdevice demo_misc = { .minor = MISC_DYNAMIC_MINOR, .name = "demo", .fops = &demo_operations };

int init_module(void)
{
	return misc_register(&demo_misc);
}
