// irkiss: ; expect: race ; forms: nopass ; lazy: yes
//
// What makes a handler startable, and what takes that back: whoever does it one way is raced with, and whoever
// undoes it is not.
#include "net.h"
#include <irkiss.h>

struct napi_struct {
    long data[16];
};
extern void netif_napi_add_weight(void *, struct napi_struct *, int (*)(struct napi_struct *, int), int);
extern void napi_enable(struct napi_struct *), __napi_schedule_irqoff(struct napi_struct *), __netif_napi_del(struct napi_struct *);
extern _Bool napi_schedule_prep(struct napi_struct *);
extern void stop_all(const char *, ...) __asm__("panic");
extern void napi_synchronize(const struct napi_struct *);
extern void usb_anchor_urb(struct urb *, void *), usb_unanchor_urb(struct urb *), usb_kill_anchored_urbs(void *);

static struct napi_struct scheduled, deleted, taken;
static long polled, unpolled, anchored, unanchored, anchor, loose;
static DEFINE_MUTEX(lock);

static int poll_scheduled(struct napi_struct *napi, int budget)
{
    polled = 1; // RACE
    return 0;
}

static int poll_deleted(struct napi_struct *napi, int budget)
{
    unpolled = 1; // NORACE
    return 0;
}

static int poll_taken(struct napi_struct *napi, int budget)
{
    return 0;
}

static void complete_anchored(struct urb *urb)
{
    anchored = 1; // NORACE
}

static void complete_unanchored(struct urb *urb)
{
    unanchored = 1; // RACE
}

#define DEVICE(id, ...) \
    static ssize_t read_##id(struct file *file, char __user *buffer, size_t bytes, loff_t *position) \
    { \
        mutex_lock(&lock); \
        __VA_ARGS__; \
        mutex_unlock(&lock); \
        return 0; \
    } \
    static const struct file_operations fops_##id = { .owner = THIS_MODULE, .read = read_##id }; \
    static struct miscdevice device_##id = { .minor = MISC_DYNAMIC_MINOR, .name = #id, .fops = &fops_##id };
DEVICE(napi, unpolled = 2; polled = 2) // RACE
DEVICE(anchored, usb_kill_anchored_urbs(&anchor); anchored = 2) // NORACE
DEVICE(unanchored, usb_kill_anchored_urbs(&loose); unanchored = 2) // RACE
// Nobody completes it: who waits for that never goes on.
DEVICE(taken, napi_synchronize(&taken); __irkiss_assert(0, "it went on"))
// Nothing goes on after that, however it is declared.
DEVICE(panic, stop_all("all"); __irkiss_assert(0, "it went on"))

static int demo_init(void)
{
    struct urb *first = usb_alloc_urb(0, GFP_KERNEL), *second = usb_alloc_urb(0, GFP_KERNEL);
    if (!first || !second)
        return -ENOMEM;
    netif_napi_add_weight(NULL, &scheduled, poll_scheduled, 64);
    napi_enable(&scheduled);
    if (napi_schedule_prep(&scheduled))
        __napi_schedule_irqoff(&scheduled);
    netif_napi_add_weight(NULL, &deleted, poll_deleted, 64);
    napi_enable(&deleted);
    if (napi_schedule_prep(&deleted))
        __napi_schedule_irqoff(&deleted);
    __netif_napi_del(&deleted);
    netif_napi_add_weight(NULL, &taken, poll_taken, 64);
    napi_enable(&taken);
    napi_schedule_prep(&taken);
    first->complete = complete_anchored;
    usb_anchor_urb(first, &anchor);
    second->complete = complete_unanchored;
    usb_anchor_urb(second, &loose);
    usb_unanchor_urb(second);
    if (usb_submit_urb(first, GFP_KERNEL) || usb_submit_urb(second, GFP_KERNEL))
        return -EBUSY;
    if (misc_register(&device_napi) || misc_register(&device_anchored))
        return -EBUSY;
    return misc_register(&device_panic) || misc_register(&device_unanchored) || misc_register(&device_taken) ? -EBUSY : 0;
}

module_init(demo_init)
