// irkiss: --property deadlock ; expect: none ; lazy: yes
//
// As grace_period_fails.c; who waits for a grace period reads nothing and holds nothing by then.
#include "../drivers/part_linux.h"

extern void __rcu_read_lock(void);
extern void __rcu_read_unlock(void);
extern void synchronize_rcu(void);
struct srcu_struct { unsigned int idx; void *sda; };
extern int __srcu_read_lock(struct srcu_struct *domain);
extern void __srcu_read_unlock(struct srcu_struct *domain, int phase);
extern void synchronize_srcu(struct srcu_struct *domain);

static DEFINE_MUTEX(lock);
static struct srcu_struct domain;
static int *current_table, tables[2];

static ssize_t demo_read(struct file *file, char __user *buffer, size_t bytes, loff_t *position)
{
	int phase;

	phase = __srcu_read_lock(&domain);
	mutex_lock(&lock);
	bytes = tables[0];
	mutex_unlock(&lock);
	__srcu_read_unlock(&domain, phase);
	return bytes;
}

static ssize_t demo_write(struct file *file, const char __user *buffer, size_t bytes, loff_t *position)
{
	mutex_lock(&lock);
	tables[0]++;
	mutex_unlock(&lock);
	synchronize_srcu(&domain);
	return bytes;
}

static long demo_ioctl(struct file *file, unsigned int command, unsigned long argument)
{
	int value;

	__rcu_read_lock();
	value = READ_ONCE(tables[0]);
	__rcu_read_unlock();
	if (command == 3)
		synchronize_rcu();
	return value;
}

static const struct file_operations demo_fops = {
	.owner = THIS_MODULE, .read = demo_read, .write = demo_write, .unlocked_ioctl = demo_ioctl
};
static struct miscdevice demo_misc = { .minor = MISC_DYNAMIC_MINOR, .name = "demo", .fops = &demo_fops };

int init_module(void)
{
	return misc_register(&demo_misc);
}
