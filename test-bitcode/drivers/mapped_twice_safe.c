// irkiss: ; expect: none
//
// As mapped_twice_racy.c, with a lock of the driver's.
#include "part_linux.h"

static DEFINE_MUTEX(lock);
static int mapped;

static int demo_mmap(struct file *file, struct vm_area_struct *area)
{
	mutex_lock(&lock);
	mapped++;
	mutex_unlock(&lock);
	return 0;
}

static ssize_t demo_read(struct file *file, char __user *buffer, size_t bytes, loff_t *position)
{
	if (_copy_to_user(buffer, file, sizeof(*file)))
		return -EIO;
	return bytes;
}

static const struct file_operations demo_fops = {
	.owner = THIS_MODULE, .read = demo_read, .mmap = demo_mmap
};
static struct miscdevice demo_misc = { .minor = MISC_DYNAMIC_MINOR, .name = "demo", .fops = &demo_fops };

int init_module(void)
{
	return misc_register(&demo_misc);
}
