// irkiss: ; expect: race
//
// As flush_safe.c, in the wrong order: the first item is in no queue that is destroyed, and each call waits for its own only.
#include "kernel.h"

struct work_struct {
    unsigned long data;
    struct list_head entry;
    void (*func)(struct work_struct *);
};
struct workqueue_struct;
struct task_struct;
extern struct workqueue_struct *alloc_workqueue(const char *format, unsigned int flags, int active, ...);
extern void destroy_workqueue(struct workqueue_struct *queue);
extern _Bool queue_work_on(int cpu, struct workqueue_struct *queue, struct work_struct *work);
extern _Bool flush_work(struct work_struct *work);
extern struct task_struct *kthread_create_on_node(int (*function)(void *), void *data, int node, const char *format, ...);
extern int kthread_stop(struct task_struct *task);

static struct workqueue_struct *queue;
static struct task_struct *task;
int first, second, third;

static void first_work(struct work_struct *work)
{
    first = 1; // RACE
}

static void second_work(struct work_struct *work)
{
    second = 1; // NORACE
}

static int thread(void *data)
{
    third = 1; // NORACE
    return 0;
}

static struct work_struct one = { .func = first_work };
static struct work_struct two = { .func = second_work };

static int demo_init(void)
{
    queue = alloc_workqueue("demo", 0, 1);
    if (!queue)
        return -ENOMEM;
    task = kthread_create_on_node(thread, NULL, -1, "demo");
    if ((unsigned long)task >= (unsigned long)-4095)
        return -ENOMEM;
    queue_work_on(0, NULL, &one);
    queue_work_on(0, queue, &two);
    return 0;
}

static void demo_exit(void)
{
    destroy_workqueue(queue);
    first = 0; // RACE
    kthread_stop(task);
    second = 0; // NORACE
    flush_work(&one);
    third = 0; // NORACE
}

module_init(demo_init)
module_exit(demo_exit)
