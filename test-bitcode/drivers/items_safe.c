// irkiss: ; expect: none
//
// A work item that is queued twice, or again while it runs, does not run beside itself.
#include "kernel.h"

struct work_struct {
    unsigned long data;
    struct list_head entry;
    void (*func)(struct work_struct *);
};
extern _Bool queue_work_on(int cpu, void *queue, struct work_struct *work);

int runs;

static void count_work(struct work_struct *work)
{
    runs++; // NORACE
}

static struct work_struct one = { .func = count_work };

static int demo_init(void)
{
    queue_work_on(0, NULL, &one);
    queue_work_on(0, NULL, &one);
    return 0;
}

module_init(demo_init)
