// irkiss: ; expect: unknown ; reason: is not shown to reach its access
//
// A thread that was once asked to stop is not told otherwise later.
#include "work.h"

struct task_struct;
extern struct task_struct *kthread_create_on_node(int (*function)(void *), void *data, int node, const char *name, ...);
extern int wake_up_process(struct task_struct *task);
extern _Bool kthread_should_stop(void);

int count, started;

static int demo_thread(void *data)
{
    WRITE_ONCE(started, 1);
    if (kthread_should_stop() && !kthread_should_stop())
        count++; // NORACE
    return 0;
}

static void demo_work(struct work_struct *work)
{
    count++; // NORACE
}
static struct work_struct item = { .func = demo_work };

static int demo_init(void)
{
    struct task_struct *task = kthread_create_on_node(demo_thread, NULL, -1, "demo");
    if ((unsigned long)task >= (unsigned long)-4095)
        return -ENOMEM;
    wake_up_process(task);
    queue_work_on(0, NULL, &item);
    return 0;
}

module_init(demo_init)
