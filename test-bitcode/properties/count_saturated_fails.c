// irkiss: ; expect: assert ; lazy: yes
//
// As count_saturated_holds.c, but the count is a plain atomic number: it comes back to 0.
#include <irkiss.h>

#include "../drivers/kernel.h"

static void get(int *count)
{
    __atomic_fetch_add(count, 1, __ATOMIC_RELAXED);
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
    __irkiss_assert(!last, "nobody has it"); // ASSERT-FAILS
    return 0;
}

static const struct file_operations demo_operations = {.owner = THIS_MODULE, .read = demo_read};
static struct miscdevice demo_misc = {.minor = MISC_DYNAMIC_MINOR, .name = "demo", .fops = &demo_operations};

static int demo_init(void)
{
    return misc_register(&demo_misc);
}

module_init(demo_init)
