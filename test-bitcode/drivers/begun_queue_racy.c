// irkiss: ; expect: race ; lazy: yes ; forms: nopass
//
// Probing registers the devices, whose functions wait and wake, and sets up their wait queues afterwards.
#include "platform.h"

typedef struct wait_queue_head {
    spinlock_t lock;
    struct list_head head;
} wait_queue_head_t;
struct wait_queue_entry {
    unsigned int flags;
    void *private;
    void *func;
    struct list_head entry;
};
extern void __init_waitqueue_head(wait_queue_head_t *queue, const char *name, void *key);
extern void __wake_up_sync(wait_queue_head_t *queue, unsigned int mode);
extern void add_wait_queue(wait_queue_head_t *queue, struct wait_queue_entry *entry);
extern void prepare_to_wait(wait_queue_head_t *queue, struct wait_queue_entry *entry, int state);
extern _Bool prepare_to_wait_exclusive(wait_queue_head_t *queue, struct wait_queue_entry *entry, int state);

static wait_queue_head_t woken, added, prepared, exclusive;

#define DEVICE(of, ...) \
    static ssize_t of##_read(struct file *file, char __user *buffer, size_t size, loff_t *position) \
    { \
        struct wait_queue_entry entry = {}; \
        __VA_ARGS__; \
        return entry.flags; \
    } \
    static const struct file_operations of##_fops = { .owner = THIS_MODULE, .read = of##_read }; \
    static struct miscdevice of##_device = { .minor = MISC_DYNAMIC_MINOR, .name = #of, .fops = &of##_fops };
DEVICE(woken, __wake_up_sync(&woken, 3)) // RACE
DEVICE(added, add_wait_queue(&added, &entry)) // RACE
DEVICE(prepared, prepare_to_wait(&prepared, &entry, 1)) // RACE
DEVICE(exclusive, prepare_to_wait_exclusive(&exclusive, &entry, 1)) // RACE

static int demo_probe(struct platform_device *pdev)
{
    int error = misc_register(&woken_device);

    error = error ? error : misc_register(&added_device);
    error = error ? error : misc_register(&prepared_device);
    error = error ? error : misc_register(&exclusive_device);
    if (error)
        return error;
    __init_waitqueue_head(&woken, "woken", NULL); // RACE
    __init_waitqueue_head(&added, "added", NULL); // RACE
    __init_waitqueue_head(&prepared, "prepared", NULL); // RACE
    __init_waitqueue_head(&exclusive, "exclusive", NULL); // RACE
    return 0;
}

static struct platform_driver demo_driver = { .probe = demo_probe, .driver = { .name = "demo" } };

PLATFORM_MODULE(demo_driver)
