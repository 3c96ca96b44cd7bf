// irkiss: ; expect: none ; lazy: yes
//
// As parameter_text_racy.c, but the count is kept under a lock.
#include "part_linux.h"

struct kernel_param_ops { unsigned int flags; };
extern const struct kernel_param_ops param_ops_string;
struct kparam_string { unsigned int maxlen; char *string; };
struct kernel_param {
	const char *name;
	struct module *mod;
	const struct kernel_param_ops *ops;
	unsigned short perm;
	signed char level;
	unsigned char flags;
	union { void *arg; const struct kparam_string *str; };
};
#define PARAMETER __attribute__((used, section("__param"), aligned(sizeof(void *))))

static char target[16];
static const struct kparam_string text = { sizeof(target), target };
static const struct kernel_param param_target PARAMETER = { "target", THIS_MODULE, &param_ops_string, 0, -1, 0, { .str = &text } };

static DEFINE_MUTEX(lock);
static int count;

static long demo_ioctl(struct file *file, unsigned int command, unsigned long argument)
{
	mutex_lock(&lock);
	count++;
	mutex_unlock(&lock);
	return 0;
}

static const struct file_operations demo_fops = { .owner = THIS_MODULE, .unlocked_ioctl = demo_ioctl };
static struct miscdevice demo_misc = { .minor = MISC_DYNAMIC_MINOR, .name = "demo", .fops = &demo_fops };

int init_module(void)
{
	if (target[0] != 'a' || target[15])
		return -EINVAL;
	return misc_register(&demo_misc);
}

void cleanup_module(void)
{
	misc_deregister(&demo_misc);
}
