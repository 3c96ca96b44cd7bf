// irkiss: ; expect: none ; lazy: yes
//
// What each open file has is freed by its last user, without the lock: nobody else has that file any more.
#include "part_linux.h"

struct text { struct mutex lock; char *bytes; };

static int text_open(struct inode *inode, struct file *file)
{
	struct text *text = kzalloc(sizeof(*text), GFP_KERNEL);

	if (!text)
		return -ENOMEM;
	mutex_init(&text->lock);
	file->private_data = text;
	return 0;
}

static int text_release(struct inode *inode, struct file *file)
{
	struct text *text = file->private_data;

	kfree(text->bytes);
	kfree(text);
	return 0;
}

static long text_ioctl(struct file *file, unsigned int command, unsigned long length)
{
	struct text *text = file->private_data;
	long error = 0;

	mutex_lock(&text->lock);
	if (text->bytes)
		error = -EBUSY;
	else
		text->bytes = kzalloc(length, GFP_KERNEL);
	mutex_unlock(&text->lock);
	return error;
}

static const struct file_operations text_fops = { .owner = THIS_MODULE, .open = text_open, .release = text_release, .unlocked_ioctl = text_ioctl };
static struct miscdevice text_device = { .minor = MISC_DYNAMIC_MINOR, .name = "text", .fops = &text_fops };

int init_module(void)
{
	return misc_register(&text_device);
}

void cleanup_module(void)
{
	misc_deregister(&text_device);
}
