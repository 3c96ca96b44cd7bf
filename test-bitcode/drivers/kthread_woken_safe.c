// irkiss: --scenario lifecycle ; expect: none
//
// A kernel thread begins when it is woken for the first time, not when it is made (kernel/kthread.c: kthread): by the result itself, through
// a field in another function, through a variable. One that is stopped before that never runs.
#include "kernel.h"

struct task_struct;
extern struct task_struct *kthread_create_on_node(int (*function)(void *), void *data, int node, const char *name, ...);
extern struct task_struct *kthread_create_on_cpu(int (*function)(void *), void *data, unsigned int cpu, const char *name);
extern int wake_up_process(struct task_struct *task);
extern void kthread_bind(struct task_struct *task, unsigned int cpu);
extern int kthread_stop(struct task_struct *task);
extern _Bool demo_stops(void);

struct worker {
    struct task_struct *task;
    long limit;
};
static struct worker worker;
static struct task_struct *last;
long number, size, count;

static int own(void *data)
{
    return number > 1; // NORACE
}

static int bound(void *data)
{
    struct worker *w = data;
    return w->limit > 1; // NORACE
}

static int global(void *data)
{
    return size > 1; // NORACE
}

static int stopped(void *data)
{
    return count > 1; // NORACE
}

static _Bool is_error(const void *task)
{
    return (unsigned long)task >= (unsigned long)-4095;
}

static void start(struct worker *w)
{
    wake_up_process(w->task);
}

static int demo_init(void)
{
    struct task_struct *task = kthread_create_on_node(own, NULL, -1, "own");
    if (is_error(task))
        return -ENOMEM;
    number = 2; // NORACE
    wake_up_process(task);

    task = kthread_create_on_cpu(bound, &worker, 0, "bound");
    if (is_error(task))
        return -ENOMEM;
    kthread_bind(task, 0);
    worker.task = task;
    worker.limit = 2; // NORACE
    start(&worker);

    last = kthread_create_on_node(global, NULL, -1, "global");
    if (is_error(last))
        return -ENOMEM;
    size = 2; // NORACE
    wake_up_process(last);

    task = kthread_create_on_node(stopped, NULL, -1, "stopped");
    if (is_error(task))
        return -ENOMEM;
    count = 1; // NORACE
    if (demo_stops()) {
        kthread_stop(task);
        count = 2; // NORACE
        wake_up_process(task);
        return 0;
    }
    wake_up_process(task);
    return 0;
}

module_init(demo_init)
