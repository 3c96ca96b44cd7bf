// What warns once, as include/linux/once_lite.h has it, and a driver with one file.
#include "kernel.h"

extern int printk_warn(const char *text);
#define warn_once(condition) \
	({ \
		static _Bool __attribute__((section(".data.once"))) __already_done; \
		_Bool __ret_cond = !!(condition); \
		if (__builtin_expect(__ret_cond && !__already_done, 0)) { \
			__already_done = 1; \
			printk_warn("once"); \
		} \
	})

static DEFINE_MUTEX(lock);
static int length;

#define DEMO \
	static const struct file_operations demo_operations = { .owner = THIS_MODULE, .write = demo_write }; \
	static struct miscdevice demo_misc = { .minor = MISC_DYNAMIC_MINOR, .name = "demo", .fops = &demo_operations }; \
	static int demo_init(void) \
	{ \
		return misc_register(&demo_misc); \
	} \
	module_init(demo_init)
