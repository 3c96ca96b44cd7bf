// irkiss: ; expect: race
//
// A work item does not run beside itself, but two items with the same function do.
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
    runs++; // RACE
}

static struct work_struct one = { .func = count_work };
static struct work_struct two = { .func = count_work };

static int demo_init(void)
{
    queue_work_on(0, NULL, &one);
    queue_work_on(0, NULL, &two);
    return 0;
}

module_init(demo_init)
