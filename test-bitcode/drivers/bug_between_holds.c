// irkiss: --property bug ; expect: none ; lazy: yes
//
// As bug_between_fails.c, in one critical section.
#include "part_linux.h"

/* arch/x86/include/asm/bug.h: _BUG_FLAGS, __BUG_FLAGS without CONFIG_DEBUG_BUGVERBOSE */
#define BUG() \
	do { \
		asm volatile("1:\t.byte 0x0f, 0x0b\n" \
			     ".pushsection __bug_table,\"aw\"\n" \
			     "2:\t.long 1b - .\t# bug_entry::bug_addr\n" \
			     "\t.word %c0\t# bug_entry::flags\n" \
			     "\t.org 2b+%c1\n" \
			     ".popsection\n" : : "i" (0), "i" (8)); \
		__builtin_unreachable(); \
	} while (0)
#define BUG_ON(condition) do { if (__builtin_expect(!!(condition), 0)) BUG(); } while (0)

static struct mutex lock;
static int on = 1, users;

static long demo_ioctl(struct file *file, unsigned int command, unsigned long argument)
{
	mutex_lock(&lock);
	if (command == 1) {
		users = 0;
		on = 0;
	} else if (on) {
		users++;
		BUG_ON(users == 0);
	}
	mutex_unlock(&lock);
	return 0;
}

static const struct file_operations demo_fops = { .owner = THIS_MODULE, .unlocked_ioctl = demo_ioctl };
static struct miscdevice demo_device = { .minor = MISC_DYNAMIC_MINOR, .name = "demo", .fops = &demo_fops };

int init_module(void)
{
	mutex_init(&lock);
	return misc_register(&demo_device);
}
