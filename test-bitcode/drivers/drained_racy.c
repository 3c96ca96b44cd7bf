// irkiss: ; expect: race
//
// As drained_safe.c, but the exit function itself writes, and before it waits.
#include "kernel.h"

struct work_struct {
    unsigned long data;
    struct list_head entry;
    void (*func)(struct work_struct *);
};
struct workqueue_struct;
extern struct workqueue_struct *alloc_workqueue(const char *format, unsigned int flags, int active, ...);
extern void destroy_workqueue(struct workqueue_struct *queue);
extern _Bool queue_work_on(int cpu, struct workqueue_struct *queue, struct work_struct *work);

static struct workqueue_struct *queue;
int count;

static void count_work(struct work_struct *work)
{
    count++; // RACE
}

static struct work_struct one = { .func = count_work };

static int demo_init(void)
{
    queue = alloc_workqueue("demo", 0, 1);
    if (!queue)
        return -ENOMEM;
    queue_work_on(0, queue, &one);
    return 0;
}

static void demo_exit(void)
{
    count = 0; // RACE
    destroy_workqueue(queue);
}

module_init(demo_init)
module_exit(demo_exit)
