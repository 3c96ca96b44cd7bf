// irkiss: ; expect: unknown ; reason: several
//
// Each call that makes a thread makes another one (kernel/kthread.c: kthread_create_on_node): the lock of the object that each of
// them is given guards nothing that they have in common.
#include "part_linux.h"

struct task_struct;
extern struct task_struct *kthread_create_on_node(int (*function)(void *), void *data, int node, const char *name, ...);
extern int wake_up_process(struct task_struct *task);
extern int kthread_stop(struct task_struct *task);

struct part {
	spinlock_t lock;
	struct task_struct *task;
};

static struct part parts[2];
static long all;

static int part_thread(void *data)
{
	struct part *part = data;

	spin_lock(&part->lock);
	all++;
	spin_unlock(&part->lock);
	return 0;
}

int init_module(void)
{
	for (int n = 0; n < 2; n++) {
		spin_lock_init(&parts[n].lock);
		parts[n].task = kthread_create_on_node(part_thread, &parts[n], -1, "part");
		wake_up_process(parts[n].task);
	}
	return 0;
}

void cleanup_module(void)
{
	for (int n = 0; n < 2; n++)
		kthread_stop(parts[n].task);
}
