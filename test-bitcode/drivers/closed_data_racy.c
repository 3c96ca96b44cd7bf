// irkiss: ; expect: race ; lazy: yes
//
// As closed_data_safe.c, but all files have the one text of the device.
#include "part_linux.h"

struct text { struct mutex lock; char *bytes; };
static struct text shared;
static int text_open(struct inode *inode, struct file *file)
{
	file->private_data = &shared;
	return 0;
}

static int text_release(struct inode *inode, struct file *file)
{
	struct text *text = file->private_data;

	kfree(text->bytes); // RACE?
	text->bytes = NULL; // RACE
	return 0;
}

static long text_ioctl(struct file *file, unsigned int command, unsigned long length)
{
	struct text *text = file->private_data;
	long error = 0;

	mutex_lock(&text->lock);
	if (text->bytes) // RACE?
		error = -EBUSY;
	else
		text->bytes = kzalloc(length, GFP_KERNEL); // RACE
	mutex_unlock(&text->lock);
	return error;
}

static const struct file_operations text_fops = { .owner = THIS_MODULE, .open = text_open, .release = text_release, .unlocked_ioctl = text_ioctl };
static struct miscdevice text_device = { .minor = MISC_DYNAMIC_MINOR, .name = "text", .fops = &text_fops };

int init_module(void)
{
	mutex_init(&shared.lock);
	return misc_register(&text_device);
}

void cleanup_module(void)
{
	misc_deregister(&text_device);
}
