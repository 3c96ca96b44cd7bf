// irkiss: ; expect: race ; lazy: yes
//
// A function of the kernel is given a text by one caller, and a buffer to fill by others, which two of them do at once.
#include "part_linux.h"

extern int label_exchange(char *label);

static char label[8];
static DEFINE_MUTEX(lock);

static long demo_ioctl(struct file *file, unsigned int command, unsigned long argument)
{
	return label_exchange(label); // RACE
}

static ssize_t demo_read(struct file *file, char __user *buffer, size_t size, loff_t *position)
{
	return label_exchange("demo");
}

static const struct file_operations demo_fops = { .owner = THIS_MODULE, .read = demo_read, .unlocked_ioctl = demo_ioctl };
static struct miscdevice demo_misc = { .minor = MISC_DYNAMIC_MINOR, .name = "demo", .fops = &demo_fops };

int init_module(void)
{
	return misc_register(&demo_misc);
}
