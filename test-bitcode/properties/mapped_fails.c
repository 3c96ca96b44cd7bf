// irkiss: --property deadlock ; expect: finds ; lazy: yes
//
// A copy to the user may fault, which takes the lock of the address space; who makes a mapping has that, and waits for the driver's.
#include "../drivers/part_linux.h"

extern void __might_fault(const char *file, int line);

static DEFINE_MUTEX(lock);
static int pages, mapped;

static ssize_t demo_read(struct file *file, char __user *buffer, size_t bytes, loff_t *position)
{
	int value;

	mutex_lock(&lock);
	value = pages;
	if (_copy_to_user(buffer, &value, sizeof(value))) // FINDS:deadlock
		bytes = 0;
	mutex_unlock(&lock);
	return bytes;
}

static ssize_t demo_write(struct file *file, const char __user *buffer, size_t bytes, loff_t *position)
{
	mutex_lock(&lock);
	__might_fault("file", 1); // FINDS:deadlock
	pages++;
	mutex_unlock(&lock);
	return bytes;
}

static int demo_mmap(struct file *file, struct vm_area_struct *area)
{
	mutex_lock(&lock); // FINDS:deadlock
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
