// irkiss: ; expect: race ; lazy: yes
//
// As queue_map_safe.c, but requests look at the number, too.
#include "kernel.h"

struct blk_mq_hw_ctx;
struct blk_mq_tag_set;
struct blk_mq_ops {
    int (*queue_rq)(struct blk_mq_hw_ctx *context, const void *data);
    void (*map_queues)(struct blk_mq_tag_set *set);
};
struct blk_mq_tag_set {
    const struct blk_mq_ops *ops;
    unsigned int nr_hw_queues;
};
extern int blk_mq_alloc_tag_set(struct blk_mq_tag_set *set);
extern void blk_mq_update_nr_hw_queues(struct blk_mq_tag_set *set, int queues);

static DEFINE_MUTEX(lock);
static unsigned int queues;

static void demo_map_queues(struct blk_mq_tag_set *set)
{
    set->nr_hw_queues = queues; // NORACE
}

static int demo_queue_rq(struct blk_mq_hw_ctx *context, const void *data)
{
    return queues == 0; // RACE
}
static const struct blk_mq_ops demo_ops = { .queue_rq = demo_queue_rq, .map_queues = demo_map_queues };
static struct blk_mq_tag_set demo_set = { .ops = &demo_ops };

static ssize_t demo_write(struct file *file, const char *buffer, size_t count, loff_t *position)
{
    mutex_lock(&lock);
    queues = count; // RACE
    blk_mq_update_nr_hw_queues(&demo_set, count);
    mutex_unlock(&lock);
    return count;
}
static const struct file_operations demo_operations = { .owner = THIS_MODULE, .write = demo_write };
static struct miscdevice demo_misc = { .minor = MISC_DYNAMIC_MINOR, .name = "demo", .fops = &demo_operations };

static int demo_init(void)
{
    int failed = blk_mq_alloc_tag_set(&demo_set);
    return failed ? failed : misc_register(&demo_misc);
}

module_init(demo_init)
