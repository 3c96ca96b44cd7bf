// irkiss: --property deadlock ; expect: finds
//
// Who reads acquires the lock once more; a writer that has come to wait meanwhile is before it in the queue, and waits for it.
#include "../drivers/part_linux.h"

struct rw_semaphore { long count; long owner; raw_spinlock_t wait_lock; struct list_head wait_list; };
extern void __init_rwsem(struct rw_semaphore *lock, const char *name, struct lock_class_key *key);
extern void down_read(struct rw_semaphore *lock);
extern void up_read(struct rw_semaphore *lock);
extern void down_write(struct rw_semaphore *lock);
extern void up_write(struct rw_semaphore *lock);
typedef struct { atomic_t count; raw_spinlock_t wait_lock; } rwlock_t;
extern void _raw_read_lock(rwlock_t *lock);
extern void _raw_read_unlock(rwlock_t *lock);
extern unsigned long _raw_write_lock_irqsave(rwlock_t *lock);
extern void _raw_write_unlock_irqrestore(rwlock_t *lock, unsigned long flags);

static struct rw_semaphore table_lock;
static rwlock_t count_lock;
static int table[4], count;

static int entry(unsigned int n)
{
	int value;

	down_read(&table_lock); // FINDS:deadlock
	value = table[n & 3];
	up_read(&table_lock);
	return value;
}

static ssize_t demo_read(struct file *file, char __user *buffer, size_t bytes, loff_t *position)
{
	int value;

	down_read(&table_lock);
	value = entry(bytes) + entry(bytes + 1);
	up_read(&table_lock);
	return value;
}

static ssize_t demo_write(struct file *file, const char __user *buffer, size_t bytes, loff_t *position)
{
	down_write(&table_lock); // FINDS:deadlock
	table[bytes & 3]++;
	up_write(&table_lock);
	return bytes;
}

static long demo_ioctl(struct file *file, unsigned int command, unsigned long argument)
{
	long value;

	_raw_read_lock(&count_lock);
	_raw_read_lock(&count_lock); // FINDS:deadlock
	value = count;
	_raw_read_unlock(&count_lock);
	_raw_read_unlock(&count_lock);
	return value;
}

static loff_t demo_llseek(struct file *file, loff_t offset, int whence)
{
	unsigned long flags;

	flags = _raw_write_lock_irqsave(&count_lock); // FINDS:deadlock
	count++;
	_raw_write_unlock_irqrestore(&count_lock, flags);
	return offset;
}

/* Within handlers readers pass a writer that only waits. */
static irqreturn_t demo_interrupt(int irq, void *data)
{
	int value;

	_raw_read_lock(&count_lock);
	value = count;
	_raw_read_unlock(&count_lock);
	return value != 0;
}

static const struct file_operations demo_fops = {
	.owner = THIS_MODULE, .read = demo_read, .write = demo_write, .llseek = demo_llseek, .unlocked_ioctl = demo_ioctl
};
static struct miscdevice demo_misc = { .minor = MISC_DYNAMIC_MINOR, .name = "demo", .fops = &demo_fops };

int init_module(void)
{
	static struct lock_class_key key;
	int error;

	__init_rwsem(&table_lock, "table_lock", &key);
	error = request_irq(7, demo_interrupt, 0, "demo", &count);
	if (error)
		return error;
	return misc_register(&demo_misc);
}
