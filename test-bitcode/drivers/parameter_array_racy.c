// irkiss: ; expect: race ; lazy: yes
//
// Parameters that are arrays and texts: who loads the module gives some elements, or none, and their number is counted; without any
// there is no device.
#include "part_linux.h"

struct kernel_param_ops { unsigned int flags; };
extern const struct kernel_param_ops param_ops_int, param_ops_charp, param_array_ops;
struct kparam_array { unsigned int max, elemsize; unsigned int *num; const struct kernel_param_ops *ops; void *elem; };
struct kernel_param {
	const char *name;
	struct module *mod;
	const struct kernel_param_ops *ops;
	unsigned short perm;
	signed char level;
	unsigned char flags;
	union { void *arg; const struct kparam_array *arr; };
};
#define PARAMETER __attribute__((used, section("__param"), aligned(sizeof(void *))))

static struct { int args[2]; unsigned int nargs; } config[2];
static char *kind;
static const struct kparam_array first = { 2, sizeof(int), &config[0].nargs, &param_ops_int, config[0].args };
static const struct kparam_array second = { 2, sizeof(int), &config[1].nargs, &param_ops_int, config[1].args };
static const struct kernel_param param_first PARAMETER = { "dev", THIS_MODULE, &param_array_ops, 0, -1, 0, { .arr = &first } };
static const struct kernel_param param_second PARAMETER = { "dev2", THIS_MODULE, &param_array_ops, 0, -1, 0, { .arr = &second } };
static const struct kernel_param param_kind PARAMETER = { "kind", THIS_MODULE, &param_ops_charp, 0, -1, 0, { .arg = &kind } };

static DEFINE_MUTEX(lock);
static int count;

static long demo_ioctl(struct file *file, unsigned int command, unsigned long argument)
{
	count++; // RACE
	return 0;
}

static const struct file_operations demo_fops = { .owner = THIS_MODULE, .unlocked_ioctl = demo_ioctl };
static struct miscdevice demo_misc = { .minor = MISC_DYNAMIC_MINOR, .name = "demo", .fops = &demo_fops };

int init_module(void)
{
	int i, there = 0;

	for (i = 0; i < 2; i++) {
		if (config[i].nargs == 0 || config[i].args[0] < 0)
			continue;
		if (config[i].nargs < 2)
			return -EINVAL;
		there = 1;
	}
	if (!there || !kind || kind[0] != 'p')
		return -ENODEV;
	return misc_register(&demo_misc);
}
