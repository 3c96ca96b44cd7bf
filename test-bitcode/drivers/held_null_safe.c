// irkiss: ; forms: nopass ; expect: unknown ; reason: not seen to access one object ; lazy: yes
//
// The queue that its functions are given comes from outside, and has the driver's mutex since it was set up: no function is called
// with a queue that has none. So nobody writes the count, and that it does not race is no claim about anything.
#include "work.h"

struct vb2_queue;
struct vb2_buffer {
    struct vb2_queue *vb2_queue;
    unsigned int index;
};
struct vb2_ops {
    int (*start_streaming)(struct vb2_queue *, unsigned int);
    void (*stop_streaming)(struct vb2_queue *);
};
struct vb2_queue {
    unsigned int type;
    struct mutex *lock;
    const struct vb2_ops *ops;
    void *drv_priv;
};
extern int vb2_queue_init(struct vb2_queue *queue);

struct camera {
    struct mutex lock;
    struct vb2_queue queue;
    int streams;
};

static int streams;

static int camera_start(struct vb2_queue *queue, unsigned int count)
{
    int own;
    int *counted = queue->lock ? &own : &streams;
    *counted = 1; // NORACE
    return 0;
}

static DEFINE_MUTEX(clock);
static int clocks;

static void camera_stop(struct vb2_queue *queue)
{
    mutex_lock(&clock);
    clocks--;
    mutex_unlock(&clock);
}

static const struct vb2_ops camera_ops = { .start_streaming = camera_start, .stop_streaming = camera_stop };

int camera_set_up(struct camera *camera)
{
    struct vb2_queue *queue = &camera->queue;
    queue->lock = &camera->lock;
    queue->ops = &camera_ops;
    queue->drv_priv = camera;
    return vb2_queue_init(queue);
}

static ssize_t demo_read(struct file *file, char __user *buffer, size_t bytes, loff_t *position)
{
    return streams; // NORACE
}

static const struct file_operations demo_fops = {
    .owner = THIS_MODULE,
    .read = demo_read,
};

static struct miscdevice demo_device = { .minor = 255, .name = "demo", .fops = &demo_fops };

static int demo_init(void)
{
    return misc_register(&demo_device);
}

module_init(demo_init)
