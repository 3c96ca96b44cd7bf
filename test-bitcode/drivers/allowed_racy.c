// irkiss: ; expect: race ; lazy: yes
//
// As allowed_safe.c, but they may start again before the write.
#include "kernel.h"

struct work_struct {
    unsigned long data;
    struct list_head entry;
    void (*func)(struct work_struct *);
};
extern _Bool queue_work_on(int cpu, void *queue, struct work_struct *work);
extern _Bool disable_work_sync(struct work_struct *work), enable_work(struct work_struct *work);
extern void disable_irq(unsigned int), enable_irq(unsigned int);
struct urb {
    void *context;
    void (*complete)(struct urb *urb);
};
extern struct urb *usb_alloc_urb(int packets, unsigned int flags);
extern int usb_submit_urb(struct urb *urb, unsigned int flags);
extern void usb_anchor_urb(struct urb *, void *);
extern void usb_poison_anchored_urbs(void *), usb_unpoison_anchored_urbs(void *);

int by_work, by_interrupt, by_request;
static long anchor, cookie;
static struct urb *request;
static DEFINE_MUTEX(lock);

static void demo_work(struct work_struct *work)
{
    by_work = 2; // RACE
}

static struct work_struct work = { .func = demo_work };

static irqreturn_t demo_interrupt(int irq, void *device)
{
    by_interrupt = 2; // RACE
    return IRQ_HANDLED;
}

static void demo_complete(struct urb *urb)
{
    by_request = 2; // RACE
}

static ssize_t demo_read(struct file *file, char __user *buffer, size_t bytes, loff_t *position)
{
    mutex_lock(&lock);
    disable_work_sync(&work);
    enable_work(&work);
    queue_work_on(0, NULL, &work);
    by_work = 1; // RACE
    mutex_unlock(&lock);
    return 0;
}

static ssize_t demo_write(struct file *file, const char __user *buffer, size_t bytes, loff_t *position)
{
    mutex_lock(&lock);
    disable_irq(6);
    enable_irq(6);
    by_interrupt = 1; // RACE
    mutex_unlock(&lock);
    return 0;
}

static long demo_ioctl(struct file *file, unsigned int command, unsigned long argument)
{
    mutex_lock(&lock);
    usb_poison_anchored_urbs(&anchor);
    usb_unpoison_anchored_urbs(&anchor);
    usb_submit_urb(request, 0);
    by_request = 1; // RACE
    mutex_unlock(&lock);
    return 0;
}

static const struct file_operations demo_fops = {
    .owner = THIS_MODULE,
    .read = demo_read,
    .write = demo_write,
    .unlocked_ioctl = demo_ioctl,
};
static struct miscdevice demo_device = { .minor = 255, .name = "demo", .fops = &demo_fops };

static int demo_init(void)
{
    request = usb_alloc_urb(0, 0);
    if (!request)
        return -ENOMEM;
    request->complete = demo_complete;
    usb_anchor_urb(request, &anchor);
    if (usb_submit_urb(request, 0))
        return -EBUSY;
    if (request_threaded_irq(6, demo_interrupt, NULL, 0, "demo", &cookie))
        return -EBUSY;
    return misc_register(&demo_device);
}

module_init(demo_init)
