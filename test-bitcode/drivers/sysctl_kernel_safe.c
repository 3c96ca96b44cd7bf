// irkiss:  ; expect: none ; lazy: yes
//
// A number that can be set in /proc/sys: the kernel's own handler writes it, with WRITE_ONCE() and no lock, and the driver reads it with READ_ONCE().
#include "part_linux.h"

struct ctl_table;
typedef int proc_handler(struct ctl_table *, int, void *, size_t *, loff_t *);
struct ctl_table { const char *procname; void *data; int maxlen; umode_t mode; struct ctl_table *child; proc_handler *proc_handler; void *poll, *extra1, *extra2; };
struct ctl_table_header;
extern struct ctl_table_header *register_sysctl(const char *path, struct ctl_table *table);
extern void unregister_sysctl_table(struct ctl_table_header *header);
extern int proc_dointvec(struct ctl_table *, int, void *, size_t *, loff_t *);

static int gear_limit = 3;
static struct ctl_table gear_table[] = {
	{ .procname = "limit", .data = &gear_limit, .maxlen = sizeof(int), .mode = 0644, .proc_handler = proc_dointvec },
	{ }
};
static struct ctl_table_header *gear_header;

static ssize_t gear_read(struct file *file, char __user *buffer, size_t bytes, loff_t *position)
{
	int limit = READ_ONCE(gear_limit);

	if (bytes > limit)
		bytes = limit;
	return bytes;
}

static const struct file_operations gear_fops = { .owner = THIS_MODULE, .read = gear_read };
static struct miscdevice gear_misc = { .minor = MISC_DYNAMIC_MINOR, .name = "gear", .fops = &gear_fops };

int init_module(void)
{
	gear_header = register_sysctl("dev/gear", gear_table);
	if (!gear_header)
		return -ENOMEM;
	return misc_register(&gear_misc);
}

void cleanup_module(void)
{
	misc_deregister(&gear_misc);
	unregister_sysctl_table(gear_header);
}
