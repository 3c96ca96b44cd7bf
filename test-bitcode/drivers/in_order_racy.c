// irkiss: ; expect: race
//
// Two items of a work queue that is not ordered run beside each other.
#include "kernel.h"

struct work_struct {
    unsigned long data;
    struct list_head entry;
    void (*func)(struct work_struct *);
};
extern _Bool queue_work_on(int cpu, void *queue, struct work_struct *work);
extern void *alloc_workqueue(const char *format, unsigned int flags, int active, ...);

static int level;

static void raise_work(struct work_struct *work)
{
    level++; // RACE
}

static void lower_work(struct work_struct *work)
{
    level--; // RACE
}

static struct work_struct up = { .func = raise_work }, down = { .func = lower_work };

static int demo_init(void)
{
    void *queue = alloc_workqueue("demo", (1u << 1), 0);
    if (!queue)
        return -ENOMEM;
    queue_work_on(0, queue, &up);
    queue_work_on(0, queue, &down);
    return 0;
}

module_init(demo_init)
