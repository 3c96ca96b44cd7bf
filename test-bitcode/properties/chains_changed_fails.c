// irkiss: --property deadlock ; forms: nopass ; expect: finds ; lazy: yes
//
// As chain_changed_fails.c, of the other blocking chains (kernel/reboot.c, mm/oom_kill.c, drivers/base/memory.c, drivers/usb/core/notify.c,
// net/ipv4/devinet.c, drivers/acpi/event.c, drivers/cpufreq/cpufreq.c), each with a mutex of its own.
#include "../drivers/part_linux.h"

struct notifier_block {
	int (*notifier_call)(struct notifier_block *, unsigned long, void *);
	struct notifier_block *next;
	int priority;
};
extern int register_reboot_notifier(struct notifier_block *block);
extern int register_oom_notifier(struct notifier_block *block);
extern int register_memory_notifier(struct notifier_block *block);
extern void usb_register_notify(struct notifier_block *block);
extern int register_inetaddr_notifier(struct notifier_block *block);
extern int register_acpi_notifier(struct notifier_block *block);
extern int cpufreq_register_notifier(struct notifier_block *block, unsigned int list);

static DEFINE_MUTEX(reboot_lock);
static int reboot_events;

static int reboot_event(struct notifier_block *block, unsigned long event, void *data)
{
	mutex_lock(&reboot_lock); // FINDS:deadlock
	reboot_events++;
	mutex_unlock(&reboot_lock);
	return 1;
}

static struct notifier_block reboot_block = { .notifier_call = reboot_event };
static struct notifier_block reboot_other = { .notifier_call = reboot_event };

static ssize_t reboot_write(struct file *file, const char *buffer, size_t count, loff_t *position)
{
	mutex_lock(&reboot_lock);
	register_reboot_notifier(&reboot_other); // FINDS:deadlock
	mutex_unlock(&reboot_lock);
	return count;
}

static const struct file_operations reboot_operations = { .owner = THIS_MODULE, .write = reboot_write };
static struct miscdevice reboot_misc = { .minor = MISC_DYNAMIC_MINOR, .name = "reboot", .fops = &reboot_operations };

static DEFINE_MUTEX(oom_lock);
static int oom_events;

static int oom_event(struct notifier_block *block, unsigned long event, void *data)
{
	mutex_lock(&oom_lock); // FINDS:deadlock
	oom_events++;
	mutex_unlock(&oom_lock);
	return 1;
}

static struct notifier_block oom_block = { .notifier_call = oom_event };
static struct notifier_block oom_other = { .notifier_call = oom_event };

static ssize_t oom_write(struct file *file, const char *buffer, size_t count, loff_t *position)
{
	mutex_lock(&oom_lock);
	register_oom_notifier(&oom_other); // FINDS:deadlock
	mutex_unlock(&oom_lock);
	return count;
}

static const struct file_operations oom_operations = { .owner = THIS_MODULE, .write = oom_write };
static struct miscdevice oom_misc = { .minor = MISC_DYNAMIC_MINOR, .name = "oom", .fops = &oom_operations };

static DEFINE_MUTEX(memory_lock);
static int memory_events;

static int memory_event(struct notifier_block *block, unsigned long event, void *data)
{
	mutex_lock(&memory_lock); // FINDS:deadlock
	memory_events++;
	mutex_unlock(&memory_lock);
	return 1;
}

static struct notifier_block memory_block = { .notifier_call = memory_event };
static struct notifier_block memory_other = { .notifier_call = memory_event };

static ssize_t memory_write(struct file *file, const char *buffer, size_t count, loff_t *position)
{
	mutex_lock(&memory_lock);
	register_memory_notifier(&memory_other); // FINDS:deadlock
	mutex_unlock(&memory_lock);
	return count;
}

static const struct file_operations memory_operations = { .owner = THIS_MODULE, .write = memory_write };
static struct miscdevice memory_misc = { .minor = MISC_DYNAMIC_MINOR, .name = "memory", .fops = &memory_operations };

static DEFINE_MUTEX(usb_lock);
static int usb_events;

static int usb_event(struct notifier_block *block, unsigned long event, void *data)
{
	mutex_lock(&usb_lock); // FINDS:deadlock
	usb_events++;
	mutex_unlock(&usb_lock);
	return 1;
}

static struct notifier_block usb_block = { .notifier_call = usb_event };
static struct notifier_block usb_other = { .notifier_call = usb_event };

static ssize_t usb_write(struct file *file, const char *buffer, size_t count, loff_t *position)
{
	mutex_lock(&usb_lock);
	usb_register_notify(&usb_other); // FINDS:deadlock
	mutex_unlock(&usb_lock);
	return count;
}

static const struct file_operations usb_operations = { .owner = THIS_MODULE, .write = usb_write };
static struct miscdevice usb_misc = { .minor = MISC_DYNAMIC_MINOR, .name = "usb", .fops = &usb_operations };

static DEFINE_MUTEX(inetaddr_lock);
static int inetaddr_events;

static int inetaddr_event(struct notifier_block *block, unsigned long event, void *data)
{
	mutex_lock(&inetaddr_lock); // FINDS:deadlock
	inetaddr_events++;
	mutex_unlock(&inetaddr_lock);
	return 1;
}

static struct notifier_block inetaddr_block = { .notifier_call = inetaddr_event };
static struct notifier_block inetaddr_other = { .notifier_call = inetaddr_event };

static ssize_t inetaddr_write(struct file *file, const char *buffer, size_t count, loff_t *position)
{
	mutex_lock(&inetaddr_lock);
	register_inetaddr_notifier(&inetaddr_other); // FINDS:deadlock
	mutex_unlock(&inetaddr_lock);
	return count;
}

static const struct file_operations inetaddr_operations = { .owner = THIS_MODULE, .write = inetaddr_write };
static struct miscdevice inetaddr_misc = { .minor = MISC_DYNAMIC_MINOR, .name = "inetaddr", .fops = &inetaddr_operations };

static DEFINE_MUTEX(acpi_lock);
static int acpi_events;

static int acpi_event(struct notifier_block *block, unsigned long event, void *data)
{
	mutex_lock(&acpi_lock); // FINDS:deadlock
	acpi_events++;
	mutex_unlock(&acpi_lock);
	return 1;
}

static struct notifier_block acpi_block = { .notifier_call = acpi_event };
static struct notifier_block acpi_other = { .notifier_call = acpi_event };

static ssize_t acpi_write(struct file *file, const char *buffer, size_t count, loff_t *position)
{
	mutex_lock(&acpi_lock);
	register_acpi_notifier(&acpi_other); // FINDS:deadlock
	mutex_unlock(&acpi_lock);
	return count;
}

static const struct file_operations acpi_operations = { .owner = THIS_MODULE, .write = acpi_write };
static struct miscdevice acpi_misc = { .minor = MISC_DYNAMIC_MINOR, .name = "acpi", .fops = &acpi_operations };

static DEFINE_MUTEX(cpufreq_policy_lock);
static int cpufreq_policy_events;

static int cpufreq_policy_event(struct notifier_block *block, unsigned long event, void *data)
{
	mutex_lock(&cpufreq_policy_lock); // FINDS:deadlock
	cpufreq_policy_events++;
	mutex_unlock(&cpufreq_policy_lock);
	return 1;
}

static struct notifier_block cpufreq_policy_block = { .notifier_call = cpufreq_policy_event };
static struct notifier_block cpufreq_policy_other = { .notifier_call = cpufreq_policy_event };

static ssize_t cpufreq_policy_write(struct file *file, const char *buffer, size_t count, loff_t *position)
{
	mutex_lock(&cpufreq_policy_lock);
	cpufreq_register_notifier(&cpufreq_policy_other, 1); // FINDS:deadlock
	mutex_unlock(&cpufreq_policy_lock);
	return count;
}

static const struct file_operations cpufreq_policy_operations = { .owner = THIS_MODULE, .write = cpufreq_policy_write };
static struct miscdevice cpufreq_policy_misc = { .minor = MISC_DYNAMIC_MINOR, .name = "cpufreq_policy", .fops = &cpufreq_policy_operations };

int init_module(void)
{
	register_reboot_notifier(&reboot_block);
	misc_register(&reboot_misc);
	register_oom_notifier(&oom_block);
	misc_register(&oom_misc);
	register_memory_notifier(&memory_block);
	misc_register(&memory_misc);
	usb_register_notify(&usb_block);
	misc_register(&usb_misc);
	register_inetaddr_notifier(&inetaddr_block);
	misc_register(&inetaddr_misc);
	register_acpi_notifier(&acpi_block);
	misc_register(&acpi_misc);
	cpufreq_register_notifier(&cpufreq_policy_block, 1);
	misc_register(&cpufreq_policy_misc);
	return 0;
}
