// irkiss: ; expect: none ; lazy: yes
//
// Two openings of a text file of /proc/net have a seq_file each and memory of their own in it; of one opening only one function runs.
#include "kernel.h"

struct seq_file {
    unsigned long seen;
    void *private;
};
struct seq_operations {
    void *(*start)(struct seq_file *, loff_t *);
    void (*stop)(struct seq_file *, void *);
    void *(*next)(struct seq_file *, void *, loff_t *);
    int (*show)(struct seq_file *, void *);
};
struct proc_dir_entry;
extern struct proc_dir_entry *proc_create_net_data(const char *name, unsigned short mode, struct proc_dir_entry *parent,
                                                   const struct seq_operations *ops, unsigned int size, void *data);

struct iteration {
    void *net;
    unsigned int bucket;
};

static int element;

static void *walk_start(struct seq_file *file, loff_t *position)
{
    struct iteration *iteration = file->private;

    iteration->bucket = *position; // NORACE
    file->seen = 0; // NORACE
    return &element;
}

static void *walk_next(struct seq_file *file, void *at, loff_t *position)
{
    struct iteration *iteration = file->private;

    iteration->bucket++; // NORACE
    return NULL;
}

static void walk_stop(struct seq_file *file, void *at)
{
}

static int walk_show(struct seq_file *file, void *at)
{
    file->seen++; // NORACE
    return 0;
}

static const struct seq_operations walk_ops = {
    .start = walk_start,
    .stop = walk_stop,
    .next = walk_next,
    .show = walk_show,
};

static int walk_init(void)
{
    return proc_create_net_data("walk", 0444, NULL, &walk_ops, sizeof(struct iteration), NULL) ? 0 : -ENOMEM;
}

module_init(walk_init)
