// irkiss: ; expect: race ; lazy: yes
//
// A function without a model gives an object, which the driver hands to another one: that is what tells which object it is, and it
// comes later.
#include "part_linux.h"

struct handle { struct handle *parent; unsigned int flags; };
struct unit { int number; };
extern struct handle *handle_of(struct unit *unit);
extern int handle_read(const struct handle *handle, const char *name, int *value);
extern int handle_mark(struct handle *handle, int value);

static struct unit unit;
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
	struct handle *handle = handle_of(&unit);
	int value;

	if (!handle)
		return -ENODEV;
	if (handle_read(handle, "rate", &value) || value != 19200000)
		return -EINVAL;
	if (handle_mark(handle, 1))
		return -EINVAL;
	return misc_register(&demo_misc);
}
