// irkiss: ; forms: nopass ; expect: none ; lazy: yes
//
// Neither function of the queue gives a lock back, so that its name alone keeps them apart: each queue that is set up has one.
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
    streams = 1; // NORACE
    return 0;
}

static void camera_stop(struct vb2_queue *queue)
{
    streams = 0; // NORACE
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

static int demo_init(void)
{
    return 0;
}

module_init(demo_init)
