// irkiss: ; expect: none ; lazy: yes
//
// As tree_unlocked_racy.c, with a mutex around all.
#include "part_linux.h"

struct xarray { spinlock_t xa_lock; gfp_t xa_flags; void *xa_head; };
struct item { int uses; };
extern int radix_tree_insert(struct xarray *tree, unsigned long number, void *item);
extern void *radix_tree_delete(struct xarray *tree, unsigned long number);

static struct xarray tree;
static struct mutex lock;

static long add(unsigned long number)
{
	struct item *item = kzalloc(sizeof(*item), GFP_KERNEL);
	int error;

	if (!item)
		return -ENOMEM;
	error = radix_tree_insert(&tree, number, item);
	if (error)
		kfree(item);
	return error;
}

static long demo_ioctl(struct file *file, unsigned int command, unsigned long argument)
{
	long answer;

	mutex_lock(&lock);
	if (command == 1)
		answer = add(argument);
	else
		answer = 0, kfree(radix_tree_delete(&tree, argument));
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
