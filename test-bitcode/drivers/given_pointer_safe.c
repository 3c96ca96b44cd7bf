// irkiss: ; expect: none ; lazy: yes
//
// A function of the kernel is given the address of the driver's own pointer, to put a table there, and a text that is not declared const:
// it does not write the text, and initialisation gets past what the table says.
// Here with a lock.
#include "part_linux.h"

struct table_header { char signature[4]; unsigned int length; };
struct demo_table { struct table_header header; unsigned int entries; };
extern int table_get(char *signature, struct table_header **table);

static struct demo_table *table;
static int count;
static DEFINE_MUTEX(lock);

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
	int error;

	error = table_get("DEMO", (struct table_header **)&table);
	if (error)
		return error;
	if (table->header.length < sizeof(*table) || table->entries == 0)
		return -EINVAL;
	return misc_register(&demo_misc);
}
