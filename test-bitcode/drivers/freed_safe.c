// irkiss: --property uaf ; expect: none ; lazy: yes
//
// Functions that free: the first reader takes the object away, under a lock, and frees it.
#include "kernel.h"

extern void kfree_sensitive(const void *);
extern void vfree(const void *);
extern void kvfree(const void *);

#define DEVICE(id, free) \
    static long *object_##id; \
    static DEFINE_MUTEX(lock_##id); \
    static ssize_t read_##id(struct file *file, char __user *buffer, size_t bytes, loff_t *position) \
    { \
        long *taken; \
        mutex_lock(&lock_##id); \
        taken = object_##id; \
        object_##id = NULL; \
        mutex_unlock(&lock_##id); \
        if (taken) \
            free; \
        return 0; \
    } \
    static const struct file_operations fops_##id = { .owner = THIS_MODULE, .read = read_##id }; \
    static struct miscdevice device_##id = { .minor = 255, .name = #id, .fops = &fops_##id };
#define REGISTER(id) \
    object_##id = __kmalloc(8, GFP_KERNEL); \
    if (!object_##id || misc_register(&device_##id)) \
        return -ENOMEM;

DEVICE(kfree, kfree(taken))
DEVICE(kfree_sensitive, kfree_sensitive(taken))
DEVICE(vfree, vfree(taken))
DEVICE(kvfree, kvfree(taken))

static int demo_init(void)
{
    REGISTER(kfree)
    REGISTER(kfree_sensitive)
    REGISTER(vfree)
    REGISTER(kvfree)
    return 0;
}

module_init(demo_init)
