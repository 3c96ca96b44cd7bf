// irkiss: ; expect: race ; lazy: yes
//
// A buffer is of the queue that the driver has set up (drivers/media/common/videobuf2/videobuf2-core.c: __vb2_queue_alloc).
#include "part_linux.h"

struct vb2_queue;
struct vb2_buffer { struct vb2_queue *vb2_queue; unsigned int index; };
struct vb2_ops { void (*buf_queue)(struct vb2_buffer *); };
struct vb2_queue { unsigned int type; struct mutex *lock; const struct vb2_ops *ops; void *drv_priv; };
extern int vb2_queue_init(struct vb2_queue *queue);

struct demo {
	spinlock_t lock;
	struct timer_list timer;
	struct vb2_queue queue;
	int value;
};

static void demo_tick(struct timer_list *timer)
{
	struct demo *demo = container_of(timer, struct demo, timer);

	spin_lock_bh(&demo->lock);
	demo->value++; // RACE
	spin_unlock_bh(&demo->lock);
	mod_timer(timer, jiffies + 1);
}

static void demo_queue(struct vb2_buffer *buffer)
{
	struct demo *demo = buffer->vb2_queue->drv_priv;

	demo->value = 0; // RACE
}

static const struct vb2_ops demo_ops = { .buf_queue = demo_queue };

static int demo_probe(struct platform_device *pdev)
{
	struct demo *demo = devm_kzalloc(&pdev->dev, sizeof(*demo), GFP_KERNEL);

	if (!demo)
		return -ENOMEM;
	platform_set_drvdata(pdev, demo);
	spin_lock_init(&demo->lock);
	timer_setup(&demo->timer, demo_tick, 0);
	mod_timer(&demo->timer, jiffies + 1);
	demo->queue.ops = &demo_ops;
	demo->queue.drv_priv = demo;
	return vb2_queue_init(&demo->queue);
}

static int demo_remove(struct platform_device *pdev)
{
	struct demo *demo = platform_get_drvdata(pdev);

	del_timer_sync(&demo->timer);
	return 0;
}

static struct platform_driver demo_driver = { .probe = demo_probe, .remove = demo_remove, .driver = { .name = "demo" } };

int init_module(void)
{
	return platform_driver_register(&demo_driver);
}

void cleanup_module(void)
{
	platform_driver_unregister(&demo_driver);
}
