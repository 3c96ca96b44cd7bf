// irkiss: ; expect: race ; lazy: yes
//
// As shown_data_safe.c, but what is shown is read without the lock.
#include "part_linux.h"

struct seq_file { char *buf; size_t size; void *private; };
struct proc_dir_entry;
extern struct proc_dir_entry *proc_create_single_data(const char *name, umode_t mode, struct proc_dir_entry *parent, int (*show)(struct seq_file *, void *), void *data);
extern void remove_proc_entry(const char *name, struct proc_dir_entry *parent);
extern void seq_printf(struct seq_file *file, const char *format, ...);

struct meter { struct mutex lock; int total; };
static struct meter *meter;

static int meter_show(struct seq_file *file, void *unused)
{
	struct meter *shown = file->private;

	seq_printf(file, "%d", shown->total); // RACE
	return 0;
}

static ssize_t meter_write(struct file *file, const char *buffer, size_t bytes, loff_t *position)
{
	mutex_lock(&meter->lock);
	meter->total += bytes; // RACE
	mutex_unlock(&meter->lock);
	return bytes;
}

static const struct file_operations meter_fops = { .owner = THIS_MODULE, .write = meter_write };
static struct miscdevice meter_device = { .minor = MISC_DYNAMIC_MINOR, .name = "meter", .fops = &meter_fops };

int init_module(void)
{
	int error;

	meter = kzalloc(sizeof(*meter), GFP_KERNEL);
	if (!meter)
		return -ENOMEM;
	mutex_init(&meter->lock);
	if (!proc_create_single_data("meter", 0444, NULL, meter_show, meter)) {
		kfree(meter);
		return -ENOMEM;
	}
	error = misc_register(&meter_device);
	if (error) {
		remove_proc_entry("meter", NULL);
		kfree(meter);
	}
	return error;
}

void cleanup_module(void)
{
	misc_deregister(&meter_device);
	remove_proc_entry("meter", NULL);
	kfree(meter);
}
