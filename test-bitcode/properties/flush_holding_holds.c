// irkiss: --property deadlock,lock-misuse ; forms: nopass ; expect: none ; lazy: yes
//
// As flush_holding_fails.c, but the mutex is given back before.
#include "../drivers/part_linux.h"

extern struct workqueue_struct *alloc_workqueue(const char *format, unsigned int flags, int active, ...);
extern void destroy_workqueue(struct workqueue_struct *queue);
extern void __flush_workqueue(struct workqueue_struct *queue);

static struct workqueue_struct *queue;
static DEFINE_MUTEX(state_lock);
static int state;

static void state_work(struct work_struct *work)
{
	mutex_lock(&state_lock);
	state = 0;
	mutex_unlock(&state_lock);
}

static struct work_struct item;

static long state_ioctl(struct file *file, unsigned int command, unsigned long argument)
{
	queue_work_on(0, queue, &item);
	mutex_lock(&state_lock);
	state = 1;
	mutex_unlock(&state_lock);
	__flush_workqueue(queue);
	return 0;
}

static const struct file_operations state_ops = { .owner = THIS_MODULE, .unlocked_ioctl = state_ioctl };
static struct miscdevice state_misc = { .minor = 255, .name = "state", .fops = &state_ops };

int init_module(void)
{
	int err;

	INIT_WORK(&item, state_work);
	queue = alloc_workqueue("state", 0, 1);
	if (!queue)
		return -ENOMEM;
	queue_work_on(0, queue, &item);
	err = misc_register(&state_misc);
	if (err)
		destroy_workqueue(queue);
	return err;
}

void cleanup_module(void)
{
	misc_deregister(&state_misc);
	destroy_workqueue(queue);
}
