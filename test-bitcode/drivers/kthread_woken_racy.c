// irkiss: --scenario lifecycle ; expect: race
//
// As kthread_woken_safe.c, but each thread is woken before what it reads is set.
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
    return number > 1; // RACE
}

static int bound(void *data)
{
    struct worker *w = data;
    return w->limit > 1; // RACE
}

static int global(void *data)
{
    return size > 1; // RACE
}

static int stopped(void *data)
{
    return count > 1; // RACE
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
    wake_up_process(task);
    number = 2; // RACE

    task = kthread_create_on_cpu(bound, &worker, 0, "bound");
    if (is_error(task))
        return -ENOMEM;
    kthread_bind(task, 0);
    worker.task = task;
    start(&worker);
    worker.limit = 2; // RACE

    last = kthread_create_on_node(global, NULL, -1, "global");
    if (is_error(last))
        return -ENOMEM;
    wake_up_process(last);
    size = 2; // RACE

    task = kthread_create_on_node(stopped, NULL, -1, "stopped");
    if (is_error(task))
        return -ENOMEM;
    count = 1; // NORACE
    if (demo_stops()) {
        wake_up_process(task);
        count = 2; // RACE
        kthread_stop(task);
        return 0;
    }
    wake_up_process(task);
    return 0;
}

module_init(demo_init)
