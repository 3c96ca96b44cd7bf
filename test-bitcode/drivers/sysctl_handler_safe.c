// irkiss: ; expect: none ; lazy: yes
//
// A handler of /proc/sys looks at its number under the lock.
#include "part_linux.h"

struct ctl_table;
typedef int proc_handler(struct ctl_table *, int, void *, size_t *, loff_t *);
struct ctl_table { const char *procname; void *data; int maxlen; umode_t mode; struct ctl_table *child; proc_handler *proc_handler; void *poll, *extra1, *extra2; };
struct ctl_table_header;
extern struct ctl_table_header *register_sysctl(const char *path, struct ctl_table *table);
extern void unregister_sysctl_table(struct ctl_table_header *header);
extern int mode_parse(void *buffer, size_t *bytes);

static int mode_value;
static DEFINE_MUTEX(mode_lock);

static int mode_handler(struct ctl_table *table, int write, void *buffer, size_t *bytes, loff_t *position)
{
	int *value = table->data;
	int old;

	mutex_lock(&mode_lock);
	old = *value;
	if (write)
		*value = mode_parse(buffer, bytes);
	if (*value < 0)
		*value = old;
	mutex_unlock(&mode_lock);
	return 0;
}

static struct ctl_table mode_table[] = {
	{ .procname = "mode", .data = &mode_value, .maxlen = sizeof(int), .mode = 0644, .proc_handler = mode_handler },
	{ }
};
static struct ctl_table_header *mode_header;

int init_module(void)
{
	mode_header = register_sysctl("dev/mode", mode_table);
	return mode_header ? 0 : -ENOMEM;
}

void cleanup_module(void)
{
	unregister_sysctl_table(mode_header);
}
