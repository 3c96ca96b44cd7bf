// irkiss: ; expect: unknown ; reason: is not shown to reach its access
//
// A major number that the kernel chooses is positive: the counting never starts.
#include "work.h"

extern int __register_chrdev(unsigned int major, unsigned int first, unsigned int count, const char *name, const void *fops);

int even, odd;
static int other;

static void demo_even(struct work_struct *work)
{
    even++; // NORACE
    odd++; // NORACE
}
static struct work_struct first = { .func = demo_even };

static void demo_odd(struct work_struct *work)
{
    if (!other)
        return;
    even++; // NORACE
    odd++; // NORACE
}
static struct work_struct second = { .func = demo_odd };

static int demo_init(void)
{
    int major = __register_chrdev(0, 0, 1, "demo", NULL);
    if (major < 0)
        return major;
    other = major == 0 || major > 511;
    queue_work_on(0, NULL, &first);
    queue_work_on(0, NULL, &second);
    return 0;
}

module_init(demo_init)
