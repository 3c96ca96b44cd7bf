// irkiss: ; expect: race ; forms: nopass ; lazy: yes
//
// Whatever ends a request, or puts it back, gives its tag to the next one: what comes after that is beside the next one.
#include "kernel.h"

struct blk_mq_hw_ctx;
struct request {
    unsigned int cmd_flags;
};
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
extern void __blk_mq_end_request(void *request, unsigned char status);
extern void blk_mq_end_request_batch(void *requests);
extern void blk_mq_complete_request(void *request);
extern _Bool blk_mq_complete_request_remote(void *request);
extern void blk_mq_requeue_request(void *request, _Bool kick);
extern void blk_mq_free_request(void *request);

int ended, batch, completed, remote, requeued, freed;
static struct blk_mq_tag_set demo_set;

static unsigned char demo_queue_rq(struct blk_mq_hw_ctx *hctx, const struct blk_mq_queue_data *data)
{
    switch (((struct request *)data->rq)->cmd_flags) {
    case 0:
        __blk_mq_end_request(data->rq, 0);
        ended++; // RACE
        break;
    case 1:
        blk_mq_end_request_batch(data->rq);
        batch++; // RACE
        break;
    case 2:
        blk_mq_complete_request(data->rq);
        completed++; // RACE
        break;
    case 3:
        blk_mq_complete_request_remote(data->rq);
        remote++; // RACE
        break;
    case 4:
        blk_mq_requeue_request(data->rq, 1);
        requeued++; // RACE
        break;
    default:
        blk_mq_free_request(data->rq);
        freed++; // RACE
        break;
    }
    return 0;
}
static const struct blk_mq_ops demo_ops = { .queue_rq = demo_queue_rq };

static int demo_init(void)
{
    return blk_mq_alloc_sq_tag_set(&demo_set, &demo_ops, 1, 0);
}

module_init(demo_init)
