// irkiss: ; expect: race ; lazy: yes
//
// As filled_published_safe.c, but the entry is filled in when others can reach it already.
#include "part_linux.h"

struct entry { struct entry *next; unsigned long key; };
static DEFINE_MUTEX(lock);
static struct entry *entries;

static long list_ioctl(struct file *file, unsigned int command, unsigned long argument)
{
	struct entry *entry = kzalloc(sizeof(*entry), GFP_KERNEL);

	if (!entry)
		return -ENOMEM;
	mutex_lock(&lock);
	entry->next = entries;
	entries = entry;
	mutex_unlock(&lock);
	entry->key = argument; // RACE
	return 0;
}

static ssize_t list_read(struct file *file, char __user *buffer, size_t size, loff_t *position)
{
	ssize_t key = 0;

	mutex_lock(&lock);
	if (entries)
		key = entries->key; // RACE
	mutex_unlock(&lock);
	return key;
}

static const struct file_operations list_fops = { .owner = THIS_MODULE, .unlocked_ioctl = list_ioctl, .read = list_read };
static struct miscdevice list_device = { .minor = MISC_DYNAMIC_MINOR, .name = "list", .fops = &list_fops };

int init_module(void)
{
	return misc_register(&list_device);
}

void cleanup_module(void)
{
	misc_deregister(&list_device);
}
