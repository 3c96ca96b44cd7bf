// irkiss: ; expect: none ; lazy: yes
//
// A thread is made each time that somebody writes (kernel/kthread.c: kthread_create_on_node), so that there may be two: they take a lock.
#include "part_linux.h"

struct task_struct;
extern struct task_struct *kthread_create_on_node(int (*function)(void *), void *data, int node, const char *name, ...);
extern int wake_up_process(struct task_struct *task);

static spinlock_t lock;
static long done;

static int again(void *data)
{
	spin_lock(&lock);
	done++;
	spin_unlock(&lock);
	return 0;
}

static ssize_t demo_write(struct file *file, const char __user *buffer, size_t size, loff_t *position)
{
	struct task_struct *task = kthread_create_on_node(again, NULL, -1, "again");

	if ((unsigned long)task >= (unsigned long)-4095)
		return -ENOMEM;
	wake_up_process(task);
	return size;
}

static const struct file_operations demo_fops = { .write = demo_write };
static struct miscdevice demo_misc = { .minor = 255, .name = "demo", .fops = &demo_fops };

int init_module(void)
{
	spin_lock_init(&lock);
	return misc_register(&demo_misc);
}

void cleanup_module(void)
{
	misc_deregister(&demo_misc);
}
