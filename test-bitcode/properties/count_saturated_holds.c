// irkiss: ; expect: none ; lazy: yes
//
// A reference count that is added to at 0 stays where nobody gets it back to 0 (lib/refcount.c: refcount_warn_saturate).
#include <irkiss.h>

#include "../drivers/kernel.h"

extern void refcount_warn_saturate(int *count, int kind);

static void get(int *count)
{
    int old = __atomic_fetch_add(count, 1, __ATOMIC_RELAXED);
    if (old <= 0)
        refcount_warn_saturate(count, 2);
}

static int put(int *count)
{
    return __atomic_fetch_sub(count, 1, __ATOMIC_RELEASE) == 1;
}

static ssize_t demo_read(struct file *file, char *buffer, size_t bytes, loff_t *position)
{
    int count = 0, last;
    get(&count);
    last = put(&count);
    __irkiss_assert(!last, "nobody has it");
    return 0;
}

static const struct file_operations demo_operations = {.owner = THIS_MODULE, .read = demo_read};
static struct miscdevice demo_misc = {.minor = MISC_DYNAMIC_MINOR, .name = "demo", .fops = &demo_operations};

static int demo_init(void)
{
    return misc_register(&demo_misc);
}

module_init(demo_init)
