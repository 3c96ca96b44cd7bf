// irkiss: --property removed ; forms: nopass ; expect: finds
//
// A file of /proc outlives the module whose functions list what stands in it.
#include "../drivers/part_linux.h"

struct seq_file { void *private; };
struct seq_operations {
	void *(*start)(struct seq_file *, loff_t *);
	void (*stop)(struct seq_file *, void *);
	void *(*next)(struct seq_file *, void *, loff_t *);
	int (*show)(struct seq_file *, void *);
};
struct proc_dir_entry;
extern struct proc_dir_entry *proc_create_seq_private(const char *name, umode_t mode, struct proc_dir_entry *parent,
						      const struct seq_operations *ops, unsigned int size, void *data);
extern void remove_proc_entry(const char *name, struct proc_dir_entry *parent);

static int levels[2];

static void *level_start(struct seq_file *file, loff_t *position)
{
	return *position ? NULL : &levels[0]; // FINDS:use-after-removal
}

static void *level_next(struct seq_file *file, void *element, loff_t *position)
{
	++*position; // FINDS:use-after-removal
	return NULL;
}

static void level_stop(struct seq_file *file, void *element)
{
}

static int level_show(struct seq_file *file, void *element)
{
	return 0;
}

static const struct seq_operations level_ops = { .start = level_start, .stop = level_stop, .next = level_next, .show = level_show };

int init_module(void)
{
	return proc_create_seq_private("level", 0444, NULL, &level_ops, 0, NULL) ? 0 : -ENOMEM;
}

void cleanup_module(void)
{
	levels[1] = 0; // FINDS:use-after-removal
}
