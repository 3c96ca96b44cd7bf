// irkiss: --property removed ; expect: finds
//
// As reference_holds.c, but initialisation arms it without.
#include "../drivers/part_linux.h"

extern void __module_get(struct module *module);
extern bool try_module_get(struct module *module);
extern void module_put(struct module *module);

static struct timer_list timer;
static int fired;

static void timer_function(struct timer_list *timer)
{
	WRITE_ONCE(fired, 1); // FINDS:use-after-removal
}

static ssize_t demo_write(struct file *file, const char __user *buffer, size_t bytes, loff_t *position)
{
	__module_get(THIS_MODULE);
	if (mod_timer(&timer, jiffies + HZ))
		module_put(THIS_MODULE);
	return bytes;
}

static loff_t demo_llseek(struct file *file, loff_t offset, int whence)
{
	if (!try_module_get(THIS_MODULE))
		return -ENODEV;
	if (mod_timer(&timer, jiffies + HZ))
		module_put(THIS_MODULE);
	return 0;
}

static ssize_t demo_read(struct file *file, char __user *buffer, size_t bytes, loff_t *position)
{
	if (del_timer_sync(&timer))
		module_put(THIS_MODULE);
	return 0;
}

static const struct file_operations demo_fops = { .owner = THIS_MODULE, .read = demo_read, .write = demo_write, .llseek = demo_llseek };
static struct miscdevice demo_misc = { .minor = MISC_DYNAMIC_MINOR, .name = "demo", .fops = &demo_fops };

int init_module(void)
{
	timer_setup(&timer, timer_function, 0);
	mod_timer(&timer, jiffies + HZ);
	return misc_register(&demo_misc);
}

void cleanup_module(void) // FINDS:use-after-removal
{
	misc_deregister(&demo_misc);
}
