// irkiss: ; expect: none ; lazy: yes
//
// A gauge is opened for reading once at a time. Who opens it so sets the level; who reads has a file that is open for reading.
#include "part_linux.h"

#define FMODE_READ 1
#define FMODE_WRITE 2

static DEFINE_MUTEX(gauge_lock);
static int gauge_taken;
static int gauge_level;

static int gauge_open(struct inode *inode, struct file *file)
{
	int ret = 0;

	mutex_lock(&gauge_lock);
	if (file->f_mode & FMODE_READ) {
		if (gauge_taken) {
			ret = -EBUSY;
		} else {
			gauge_taken = 1;
			gauge_level = file->f_flags; // NORACE
		}
	}
	mutex_unlock(&gauge_lock);
	return ret;
}

static ssize_t gauge_read(struct file *file, char __user *buffer, size_t size, loff_t *position)
{
	return gauge_level; // NORACE
}

static int gauge_release(struct inode *inode, struct file *file)
{
	mutex_lock(&gauge_lock);
	if (file->f_mode & FMODE_READ)
		gauge_taken = 0;
	mutex_unlock(&gauge_lock);
	return 0;
}

static const struct file_operations gauge_fops = {
	.owner = THIS_MODULE,
	.open = gauge_open,
	.read = gauge_read,
	.release = gauge_release,
};

static struct miscdevice gauge_misc = { .minor = 255, .name = "gauge", .fops = &gauge_fops };

int init_module(void)
{
	return misc_register(&gauge_misc);
}

void cleanup_module(void)
{
	misc_deregister(&gauge_misc);
}
