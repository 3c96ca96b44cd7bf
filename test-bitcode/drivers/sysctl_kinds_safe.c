// irkiss: ; expect: none ; lazy: yes
//
// As sysctl_kinds_racy.c, read with READ_ONCE(), without those that the kernel writes plainly.
#include "part_linux.h"

struct ctl_table;
typedef int proc_handler(struct ctl_table *, int, void *, size_t *, loff_t *);
struct ctl_table { const char *procname; void *data; int maxlen; umode_t mode; struct ctl_table *child; proc_handler *proc_handler; void *poll, *extra1, *extra2; };
struct ctl_table_header;
extern struct ctl_table_header *register_sysctl(const char *path, struct ctl_table *table);
extern void unregister_sysctl_table(struct ctl_table_header *header);
extern proc_handler proc_dostring, proc_dobool, proc_dointvec, proc_douintvec, proc_dointvec_minmax, proc_douintvec_minmax, proc_dou8vec_minmax,
	proc_dointvec_jiffies, proc_dointvec_ms_jiffies, proc_dointvec_userhz_jiffies, proc_doulongvec_minmax,
	proc_doulongvec_ms_jiffies_minmax;

static int one = 1, hundred = 100;
static int plain, pair[2], between = 50, ticks, milliseconds;
static unsigned int natural, natural_between = 50;
static unsigned long wide, wide_milliseconds;
static u8 small;
#define ENTRY(variable, handler) { .procname = #variable, .data = &variable, .maxlen = sizeof(variable), .mode = 0644, .proc_handler = handler }
static struct ctl_table gear_table[] = {
	ENTRY(plain, proc_dointvec),
	ENTRY(pair, proc_dointvec),
	{ .procname = "between", .data = &between, .maxlen = sizeof(int), .mode = 0644, .proc_handler = proc_dointvec_minmax, .extra1 = &one, .extra2 = &hundred },
	ENTRY(natural, proc_douintvec),
	ENTRY(natural_between, proc_douintvec_minmax),
	ENTRY(small, proc_dou8vec_minmax),
	ENTRY(ticks, proc_dointvec_jiffies),
	ENTRY(milliseconds, proc_dointvec_ms_jiffies),
	ENTRY(wide, proc_doulongvec_minmax),
	ENTRY(wide_milliseconds, proc_doulongvec_ms_jiffies_minmax),
	{ }
};
static struct ctl_table_header *gear_header;

static loff_t gear_llseek(struct file *file, loff_t offset, int whence)
{
	loff_t sum = READ_ONCE(plain);
	sum += READ_ONCE(pair[1]);
	sum += 100 / READ_ONCE(between);
	sum += READ_ONCE(natural);
	sum += READ_ONCE(natural_between);
	sum += READ_ONCE(small);
	return sum;
}

static ssize_t gear_read(struct file *file, char __user *buffer, size_t bytes, loff_t *position)
{
	ssize_t sum = READ_ONCE(ticks);
	sum += READ_ONCE(milliseconds);
	sum += READ_ONCE(wide);
	sum += READ_ONCE(wide_milliseconds);
	return sum;
}

static const struct file_operations gear_fops = { .owner = THIS_MODULE, .llseek = gear_llseek, .read = gear_read };
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
