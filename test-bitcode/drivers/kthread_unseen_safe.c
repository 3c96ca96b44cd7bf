// irkiss: --scenario lifecycle ; expect: none
//
// A task that others get who let it sleep (kernel/sched/core.c: set_user_nice), and one that is kept in a field: who wakes them is seen.
#include "kernel.h"

struct task_struct;
extern struct task_struct *kthread_create_on_node(int (*function)(void *), void *data, int node, const char *name, ...);
extern int wake_up_process(struct task_struct *task);
extern void set_user_nice(struct task_struct *task, long nice);

struct worker {
    struct task_struct *task;
    long number;
};
static struct worker first, second;

static int handed(void *data)
{
    struct worker *w = data;
    return w->number > 1; // NORACE
}

static int kept(void *data)
{
    struct worker *w = data;
    return w->number > 1; // NORACE
}

static int demo_init(void)
{
    struct task_struct *task = kthread_create_on_node(handed, &first, -1, "handed");
    if ((unsigned long)task >= (unsigned long)-4095)
        return -ENOMEM;
    set_user_nice(task, 5);
    first.number = 2; // NORACE
    wake_up_process(task);

    second.task = kthread_create_on_node(kept, &second, -1, "kept");
    if ((unsigned long)second.task >= (unsigned long)-4095)
        return -ENOMEM;
    second.number = 2; // NORACE
    wake_up_process(second.task);
    return 0;
}

module_init(demo_init)
