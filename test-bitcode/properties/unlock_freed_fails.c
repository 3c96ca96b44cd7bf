// irkiss: --property uaf ; forms: nopass ; expect: uaf ; lazy: yes
//
// Who frees an object gives back the lock in it afterwards.
#include "../drivers/part_linux.h"

struct session { spinlock_t lock; int users; };

static int session_release(struct inode *inode, struct file *file)
{
	struct session *session = file->private_data;
	int last;

	spin_lock(&session->lock);
	last = --session->users == 0;
	if (last)
		kfree(session);
	spin_unlock(&session->lock); // FREED
	return 0;
}

static int session_open(struct inode *inode, struct file *file)
{
	struct session *session = kmalloc(sizeof(*session), GFP_KERNEL);

	if (!session)
		return -ENOMEM;
	spin_lock_init(&session->lock);
	session->users = 1;
	file->private_data = session;
	return 0;
}

static const struct file_operations session_ops = { .owner = THIS_MODULE, .open = session_open, .release = session_release };
static struct miscdevice session_misc = { .minor = 255, .name = "session", .fops = &session_ops };

int init_module(void)
{
	return misc_register(&session_misc);
}

void cleanup_module(void)
{
	misc_deregister(&session_misc);
}
