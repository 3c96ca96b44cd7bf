// irkiss: ; expect: none ; lazy: yes
//
// As numbers_unlocked_racy.c, with a mutex around both.
#include "part_linux.h"

struct xarray { spinlock_t xa_lock; gfp_t xa_flags; void *xa_head; };
struct idr { struct xarray idr_rt; unsigned int idr_base, idr_next; };
extern int idr_alloc(struct idr *table, void *object, int start, int end, gfp_t flags);
extern void *idr_remove(struct idr *table, unsigned long number);

static struct idr numbers;
static struct mutex lock;
static int dummy;

static long demo_ioctl(struct file *file, unsigned int command, unsigned long argument)
{
	long answer = 0;

	mutex_lock(&lock);
	if (command == 1)
		answer = idr_alloc(&numbers, &dummy, 1, 100, GFP_KERNEL);
	else
		idr_remove(&numbers, argument);
	mutex_unlock(&lock);
	return answer;
}

static const struct file_operations demo_fops = { .owner = THIS_MODULE, .unlocked_ioctl = demo_ioctl };
static struct miscdevice demo_device = { .minor = MISC_DYNAMIC_MINOR, .name = "demo", .fops = &demo_fops };

int init_module(void)
{
	mutex_init(&lock);
	return misc_register(&demo_device);
}
