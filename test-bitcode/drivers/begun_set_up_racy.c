// irkiss: ; expect: race ; lazy: yes ; forms: nopass
//
// Probing registers the devices, which can be opened from then on, and sets up what their functions use afterwards: a mutex, a spin lock, a
// wait queue, a timer.
#include "platform.h"

typedef struct wait_queue_head {
    spinlock_t lock;
    struct list_head head;
} wait_queue_head_t;
extern void __raw_spin_lock_init(raw_spinlock_t *lock, const char *name, void *key, short inner);
extern void __init_waitqueue_head(wait_queue_head_t *queue, const char *name, void *key);
extern int __wake_up(wait_queue_head_t *queue, unsigned int mode, int count, void *key);

static struct {
    struct mutex mutex;
    spinlock_t spin;
    wait_queue_head_t queue;
    struct timer_list timer;
    int by_mutex, by_spin, wanted;
} state;

static void demo_timer(struct timer_list *timer)
{
    WRITE_ONCE(state.wanted, 0);
}

static ssize_t mutex_read(struct file *file, char __user *buffer, size_t size, loff_t *position)
{
    mutex_lock(&state.mutex); // RACE
    state.by_mutex++;
    mutex_unlock(&state.mutex);
    return 0;
}

static ssize_t spin_read(struct file *file, char __user *buffer, size_t size, loff_t *position)
{
    spin_lock(&state.spin); // RACE
    state.by_spin++;
    spin_unlock(&state.spin);
    return 0;
}

static ssize_t queue_read(struct file *file, char __user *buffer, size_t size, loff_t *position)
{
    WRITE_ONCE(state.wanted, 1);
    __wake_up(&state.queue, 3, 1, NULL); // RACE
    return 0;
}

static ssize_t timer_read(struct file *file, char __user *buffer, size_t size, loff_t *position)
{
    mod_timer(&state.timer, 100 + READ_ONCE(state.wanted)); // RACE
    return 0;
}

#define DEVICE(of) \
    static const struct file_operations of##_fops = { .owner = THIS_MODULE, .read = of##_read }; \
    static struct miscdevice of##_device = { .minor = MISC_DYNAMIC_MINOR, .name = #of, .fops = &of##_fops };
DEVICE(mutex)
DEVICE(spin)
DEVICE(queue)
DEVICE(timer)

static void set_up(void)
{
    __mutex_init(&state.mutex, "mutex", NULL); // RACE
    __raw_spin_lock_init(&state.spin.rlock, "spin", NULL, 3); // RACE
    __init_waitqueue_head(&state.queue, "queue", NULL); // RACE
    timer_setup(&state.timer, demo_timer, 0); // RACE
}

static int demo_probe(struct platform_device *pdev)
{
    int error = misc_register(&mutex_device);

    error = error ? error : misc_register(&spin_device);
    error = error ? error : misc_register(&queue_device);
    error = error ? error : misc_register(&timer_device);
    if (error)
        return error;
    set_up();
    return 0;
}

static struct platform_driver demo_driver = { .probe = demo_probe, .driver = { .name = "demo" } };

PLATFORM_MODULE(demo_driver)
