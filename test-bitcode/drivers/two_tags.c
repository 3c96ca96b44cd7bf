// irkiss: ; expect: race ; lazy: yes
//
// As one_tag_safe.c, but there are two tags.
#include "kernel.h"

struct blk_mq_hw_ctx;
struct blk_mq_queue_data {
    void *rq;
    _Bool last;
};
struct blk_mq_ops {
    unsigned char (*queue_rq)(struct blk_mq_hw_ctx *, const struct blk_mq_queue_data *);
};
struct blk_mq_tag_set {
    const struct blk_mq_ops *ops;
    unsigned int nr_hw_queues;
};
extern int blk_mq_alloc_sq_tag_set(struct blk_mq_tag_set *set, const struct blk_mq_ops *ops, unsigned int depth, unsigned int flags);
extern void blk_mq_start_request(void *request);
extern void blk_mq_end_request(void *request, unsigned char status);

int transfer, requests;
static struct blk_mq_tag_set demo_set;

static unsigned char demo_queue_rq(struct blk_mq_hw_ctx *hctx, const struct blk_mq_queue_data *data)
{
    blk_mq_start_request(data->rq);
    transfer = 1; // RACE?
    requests++; // RACE
    blk_mq_end_request(data->rq, 0);
    return 0;
}
static const struct blk_mq_ops demo_ops = { .queue_rq = demo_queue_rq };

static int demo_init(void)
{
    return blk_mq_alloc_sq_tag_set(&demo_set, &demo_ops, 2, 0);
}

module_init(demo_init)
