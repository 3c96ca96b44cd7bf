// irkiss: --property uaf ; expect: none ; lazy: yes
//
// del_gendisk waits for the requests of a disk, and lets none in any more: what they use may be freed then.
#include "../drivers/part_linux.h"

struct request_queue { void *elevator; void *queuedata; };
struct blk_mq_hw_ctx { unsigned long state; struct request_queue *queue; };
struct request { unsigned int tag; };
struct blk_mq_queue_data { struct request *rq; bool last; };
struct blk_mq_ops { u8 (*queue_rq)(struct blk_mq_hw_ctx *, const struct blk_mq_queue_data *); };
struct blk_mq_tag_set { const struct blk_mq_ops *ops; unsigned int nr_hw_queues, queue_depth; void *driver_data; };
struct gendisk { int major, first_minor, minors; const void *fops; struct request_queue *queue; void *private_data; };
extern struct gendisk *__blk_mq_alloc_disk(struct blk_mq_tag_set *set, void *queuedata, struct lock_class_key *key);
extern int device_add_disk(struct device *parent, struct gendisk *disk, const struct attribute_group **groups);
extern void del_gendisk(struct gendisk *disk);

struct demo { struct blk_mq_tag_set tags; struct gendisk *disk; spinlock_t lock; int value; };
static struct lock_class_key disk_key;

static u8 demo_queue_rq(struct blk_mq_hw_ctx *context, const struct blk_mq_queue_data *data)
{
	struct demo *demo = context->queue->queuedata;

	spin_lock(&demo->lock);
	demo->value++;
	spin_unlock(&demo->lock);
	return 0;
}

static const struct blk_mq_ops demo_mq_ops = { .queue_rq = demo_queue_rq };

static int demo_probe(struct platform_device *pdev)
{
	struct demo *demo = kzalloc(sizeof(*demo), GFP_KERNEL);

	if (!demo)
		return -ENOMEM;
	platform_set_drvdata(pdev, demo);
	spin_lock_init(&demo->lock);
	demo->tags.ops = &demo_mq_ops;
	demo->tags.queue_depth = 4;
	demo->disk = __blk_mq_alloc_disk(&demo->tags, demo, &disk_key);
	if (IS_ERR(demo->disk) || device_add_disk(&pdev->dev, demo->disk, NULL)) {
		kfree(demo);
		return -ENOMEM;
	}
	return 0;
}

static int demo_remove(struct platform_device *pdev)
{
	struct demo *demo = platform_get_drvdata(pdev);

	del_gendisk(demo->disk);
	kfree(demo);
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
