// irkiss: ; expect: unknown ; lazy: yes ; reason: one object
//
// A request comes out of a queue once: two readers were never seen to have the same one.
#include "kernel.h"

struct crypto_async_request {
    struct list_head list;
    void (*complete)(void *data, int error);
    void *data;
    void *tfm;
    unsigned int flags;
};
struct crypto_queue {
    struct list_head list;
    struct list_head *backlog;
    unsigned int qlen;
    unsigned int max_qlen;
};
extern void crypto_init_queue(struct crypto_queue *queue, unsigned int max_qlen);
extern int crypto_enqueue_request(struct crypto_queue *queue, struct crypto_async_request *request);
extern struct crypto_async_request *crypto_dequeue_request(struct crypto_queue *queue);

static struct crypto_queue queue;
static DEFINE_MUTEX(lock);

static ssize_t demo_write(struct file *file, const char __user *buffer, size_t size, loff_t *position)
{
    struct crypto_async_request *request = __kmalloc(sizeof(*request), GFP_KERNEL);

    if (!request)
        return -ENOMEM;
    mutex_lock(&lock);
    crypto_enqueue_request(&queue, request); // NORACE
    mutex_unlock(&lock);
    return size;
}

static ssize_t demo_read(struct file *file, char __user *buffer, size_t size, loff_t *position)
{
    struct crypto_async_request *request;

    mutex_lock(&lock);
    request = crypto_dequeue_request(&queue); // NORACE
    mutex_unlock(&lock);
    if (request)
        request->flags++; // NORACE
    return 0;
}

static const struct file_operations demo_fops = { .owner = THIS_MODULE, .read = demo_read, .write = demo_write };
static struct miscdevice demo_device = { .minor = MISC_DYNAMIC_MINOR, .name = "demo", .fops = &demo_fops };

static int demo_init(void)
{
    struct crypto_async_request *first = __kmalloc(sizeof(*first), GFP_KERNEL);
    struct crypto_async_request *second = __kmalloc(sizeof(*second), GFP_KERNEL);

    if (!first || !second)
        return -ENOMEM;
    crypto_init_queue(&queue, 8);
    crypto_enqueue_request(&queue, first);
    crypto_enqueue_request(&queue, second);
    return misc_register(&demo_device);
}

module_init(demo_init)
