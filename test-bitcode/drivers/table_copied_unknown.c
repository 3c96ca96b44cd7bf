// irkiss: ; expect: unknown ; reason: not seen to access one object ; lazy: yes
//
// What is written is the copy of a table, to which the pointer leads by then; the table itself is only read. That nobody races there is no
// claim about anything.
#include "kernel.h"

struct settings { int name, level; };
struct demo { struct settings *settings; };
static struct settings defaults = { 1, 2 };
static int always;

static ssize_t demo_read(struct file *file, char __user *buffer, size_t count, loff_t *position)
{
    struct demo *demo = __kmalloc(sizeof(*demo), GFP_KERNEL);

    if (!demo)
        return -ENOMEM;
    if (!READ_ONCE(always)) {
        demo->settings = __kmalloc(sizeof(defaults), GFP_KERNEL);
        if (!demo->settings)
            return -ENOMEM;
        *demo->settings = defaults;
        demo->settings->name = 0;
    } else {
        demo->settings = &defaults;
    }
    return demo->settings->name;
}

static const struct file_operations demo_operations = { .owner = THIS_MODULE, .read = demo_read };
static struct miscdevice demo_misc = { .minor = MISC_DYNAMIC_MINOR, .name = "demo", .fops = &demo_operations };

static int demo_init(void)
{
    WRITE_ONCE(always, READ_ONCE(*(int *)&demo_misc.minor) == 7);
    return misc_register(&demo_misc);
}

module_init(demo_init)
