// irkiss: --property deadlock ; expect: none ; lazy: yes
//
// As mapped_fails.c; what goes to the user is copied after the lock.
#include "../drivers/part_linux.h"

extern void __might_fault(const char *file, int line);

static DEFINE_MUTEX(lock);
static int pages, mapped;

static ssize_t demo_read(struct file *file, char __user *buffer, size_t bytes, loff_t *position)
{
	int value;

	mutex_lock(&lock);
	value = pages;
	mutex_unlock(&lock);
	if (_copy_to_user(buffer, &value, sizeof(value)))
		bytes = 0;
	return bytes;
}

static ssize_t demo_write(struct file *file, const char __user *buffer, size_t bytes, loff_t *position)
{
	__might_fault("file", 1);
	mutex_lock(&lock);
	pages++;
	mutex_unlock(&lock);
	return bytes;
}

static int demo_mmap(struct file *file, struct vm_area_struct *area)
{
	mutex_lock(&lock);
	mapped++;
	mutex_unlock(&lock);
	return 0;
}

static const struct file_operations demo_fops = {
	.owner = THIS_MODULE, .read = demo_read, .write = demo_write, .mmap = demo_mmap
};
static struct miscdevice demo_misc = { .minor = MISC_DYNAMIC_MINOR, .name = "demo", .fops = &demo_fops };

int init_module(void)
{
	return misc_register(&demo_misc);
}
