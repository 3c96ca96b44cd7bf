// irkiss: ; expect: race ; lazy: yes
//
// As parameter_numbers_safe.c, but the driver's commands use the numbers without the lock.
#include "part_linux.h"

struct kernel_param;
struct kernel_param_ops {
	unsigned int flags;
	int (*set)(const char *text, const struct kernel_param *parameter);
	int (*get)(char *buffer, const struct kernel_param *parameter);
	void (*free)(void *arg);
};
struct kernel_param {
	const char *name;
	struct module *mod;
	const struct kernel_param_ops *ops;
	const unsigned short perm;
	signed char level;
	unsigned char flags;
	union { void *arg; };
};
extern int param_set_byte(const char *text, const struct kernel_param *parameter);
extern int param_get_byte(char *buffer, const struct kernel_param *parameter);
extern int param_set_short(const char *text, const struct kernel_param *parameter);
extern int param_get_short(char *buffer, const struct kernel_param *parameter);
extern int param_set_ushort(const char *text, const struct kernel_param *parameter);
extern int param_get_ushort(char *buffer, const struct kernel_param *parameter);
extern int param_set_int(const char *text, const struct kernel_param *parameter);
extern int param_get_int(char *buffer, const struct kernel_param *parameter);
extern int param_set_uint(const char *text, const struct kernel_param *parameter);
extern int param_get_uint(char *buffer, const struct kernel_param *parameter);
extern int param_set_hexint(const char *text, const struct kernel_param *parameter);
extern int param_get_hexint(char *buffer, const struct kernel_param *parameter);
extern int param_set_long(const char *text, const struct kernel_param *parameter);
extern int param_get_long(char *buffer, const struct kernel_param *parameter);
extern int param_set_ulong(const char *text, const struct kernel_param *parameter);
extern int param_get_ulong(char *buffer, const struct kernel_param *parameter);
extern int param_set_ullong(const char *text, const struct kernel_param *parameter);
extern int param_get_ullong(char *buffer, const struct kernel_param *parameter);
extern int param_set_bool(const char *text, const struct kernel_param *parameter);
extern int param_get_bool(char *buffer, const struct kernel_param *parameter);
extern int param_set_invbool(const char *text, const struct kernel_param *parameter);
extern int param_get_invbool(char *buffer, const struct kernel_param *parameter);

static DEFINE_MUTEX(lock);
static struct {
	u8 byte_set, byte_got;
	short short_set, short_got;
	unsigned short ushort_set, ushort_got;
	int int_set, int_got;
	unsigned int uint_set, uint_got;
	unsigned int hexint_set, hexint_got;
	long long_set, long_got;
	unsigned long ulong_set, ulong_got;
	u64 ullong_set, ullong_got;
	bool bool_set, bool_got;
	bool invbool_set, invbool_got;
} numbers;
static const struct kernel_param byte_set = { .arg = &numbers.byte_set }, byte_got = { .arg = &numbers.byte_got };
static const struct kernel_param short_set = { .arg = &numbers.short_set }, short_got = { .arg = &numbers.short_got };
static const struct kernel_param ushort_set = { .arg = &numbers.ushort_set }, ushort_got = { .arg = &numbers.ushort_got };
static const struct kernel_param int_set = { .arg = &numbers.int_set }, int_got = { .arg = &numbers.int_got };
static const struct kernel_param uint_set = { .arg = &numbers.uint_set }, uint_got = { .arg = &numbers.uint_got };
static const struct kernel_param hexint_set = { .arg = &numbers.hexint_set }, hexint_got = { .arg = &numbers.hexint_got };
static const struct kernel_param long_set = { .arg = &numbers.long_set }, long_got = { .arg = &numbers.long_got };
static const struct kernel_param ulong_set = { .arg = &numbers.ulong_set }, ulong_got = { .arg = &numbers.ulong_got };
static const struct kernel_param ullong_set = { .arg = &numbers.ullong_set }, ullong_got = { .arg = &numbers.ullong_got };
static const struct kernel_param bool_set = { .arg = &numbers.bool_set }, bool_got = { .arg = &numbers.bool_got };
static const struct kernel_param invbool_set = { .arg = &numbers.invbool_set }, invbool_got = { .arg = &numbers.invbool_got };

static int numbers_set(const char *text, const struct kernel_param *parameter)
{
	int error = 0;

	mutex_lock(&lock);
	error |= param_set_byte(text, &byte_set); // RACE
	error |= param_set_short(text, &short_set); // RACE
	error |= param_set_ushort(text, &ushort_set); // RACE
	error |= param_set_int(text, &int_set); // RACE
	error |= param_set_uint(text, &uint_set); // RACE
	error |= param_set_hexint(text, &hexint_set); // RACE
	error |= param_set_long(text, &long_set); // RACE
	error |= param_set_ulong(text, &ulong_set); // RACE
	error |= param_set_ullong(text, &ullong_set); // RACE
	error |= param_set_bool(text, &bool_set); // RACE
	error |= param_set_invbool(text, &invbool_set); // RACE
	mutex_unlock(&lock);
	return error;
}

static int numbers_get(char *buffer, const struct kernel_param *parameter)
{
	int length = 0;

	mutex_lock(&lock);
	length += param_get_byte(buffer, &byte_got); // RACE
	length += param_get_short(buffer, &short_got); // RACE
	length += param_get_ushort(buffer, &ushort_got); // RACE
	length += param_get_int(buffer, &int_got); // RACE
	length += param_get_uint(buffer, &uint_got); // RACE
	length += param_get_hexint(buffer, &hexint_got); // RACE
	length += param_get_long(buffer, &long_got); // RACE
	length += param_get_ulong(buffer, &ulong_got); // RACE
	length += param_get_ullong(buffer, &ullong_got); // RACE
	length += param_get_bool(buffer, &bool_got); // RACE
	length += param_get_invbool(buffer, &invbool_got); // RACE
	mutex_unlock(&lock);
	return length;
}

static const struct kernel_param_ops numbers_ops = { .set = numbers_set, .get = numbers_get };
static const struct kernel_param parameter __attribute__((used, section("__param"), aligned(sizeof(void *)))) =
	{ "numbers", THIS_MODULE, &numbers_ops, 0600, -1, 0, { &numbers } };

static long demo_ioctl(struct file *file, unsigned int command, unsigned long argument)
{
	long sum = 0;

	sum += numbers.byte_set; // RACE
	numbers.byte_got = argument; // RACE
	sum += numbers.short_set; // RACE
	numbers.short_got = argument; // RACE
	sum += numbers.ushort_set; // RACE
	numbers.ushort_got = argument; // RACE
	sum += numbers.int_set; // RACE
	numbers.int_got = argument; // RACE
	sum += numbers.uint_set; // RACE
	numbers.uint_got = argument; // RACE
	sum += numbers.hexint_set; // RACE
	numbers.hexint_got = argument; // RACE
	sum += numbers.long_set; // RACE
	numbers.long_got = argument; // RACE
	sum += numbers.ulong_set; // RACE
	numbers.ulong_got = argument; // RACE
	sum += numbers.ullong_set; // RACE
	numbers.ullong_got = argument; // RACE
	sum += numbers.bool_set; // RACE
	numbers.bool_got = argument; // RACE
	sum += numbers.invbool_set; // RACE
	numbers.invbool_got = argument; // RACE
	return sum;
}

static const struct file_operations demo_fops = { .owner = THIS_MODULE, .unlocked_ioctl = demo_ioctl };
static struct miscdevice demo_misc = { .minor = MISC_DYNAMIC_MINOR, .name = "demo", .fops = &demo_fops };

int init_module(void)
{
	return misc_register(&demo_misc);
}

void cleanup_module(void)
{
	misc_deregister(&demo_misc);
}
