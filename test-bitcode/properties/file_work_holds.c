// irkiss: --property uaf ; expect: none ; lazy: yes
//
// What an ioctl of a file has queued runs when the file is closed, whose memory that frees: here it is waited for.
#include "../drivers/part_linux.h"

struct opened {
	struct work_struct work;
	int count;
};

static void demo_work(struct work_struct *work)
{
	struct opened *opened = container_of(work, struct opened, work);

	opened->count++;
}

static int demo_open(struct inode *inode, struct file *file)
{
	struct opened *opened = kzalloc(sizeof(*opened), GFP_KERNEL);

	if (!opened)
		return -ENOMEM;
	INIT_WORK(&opened->work, demo_work);
	file->private_data = opened;
	return 0;
}

static int demo_release(struct inode *inode, struct file *file)
{
	struct opened *opened = file->private_data;

	cancel_work_sync(&opened->work);
	kfree(opened);
	return 0;
}

static long demo_ioctl(struct file *file, unsigned int command, unsigned long argument)
{
	struct opened *opened = file->private_data;

	schedule_work(&opened->work);
	return 0;
}

static const struct file_operations demo_fops = {
	.owner = THIS_MODULE,
	.open = demo_open,
	.release = demo_release,
	.unlocked_ioctl = demo_ioctl,
};
static struct miscdevice demo_misc = { .minor = MISC_DYNAMIC_MINOR, .name = "demo", .fops = &demo_fops };

int init_module(void)
{
	return misc_register(&demo_misc);
}

void cleanup_module(void)
{
	misc_deregister(&demo_misc);
}
