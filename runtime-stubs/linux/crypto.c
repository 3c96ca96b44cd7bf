/* Queues of requests to cryptographic devices (crypto/algapi.c; struct crypto_queue in include/crypto/algapi.h, struct
 * crypto_async_request in include/linux/crypto.h, the same from 4.15 to 6.12).
 *
 * A queue is modelled as the list that it is: a request comes out once. Who uses it holds a lock of its own, so accesses are plain.
 */
#include "irkiss_linux.h"

enum { MAY_BACKLOG = 0x400 };

struct list_head {
    struct list_head *next, *prev;
};

struct crypto_async_request {
    struct list_head list;
    void *complete, *data, *tfm;
    u32 flags;
};

struct crypto_queue {
    struct list_head list;
    struct list_head *backlog;
    u32 qlen, max_qlen;
};

static void add_between(struct list_head *entry, struct list_head *before, struct list_head *after)
{
    after->prev = entry;
    entry->next = after;
    entry->prev = before;
    before->next = entry;
}

void crypto_init_queue(struct crypto_queue *queue, unsigned int max_qlen)
{
    queue->list.next = &queue->list;
    queue->list.prev = &queue->list;
    queue->backlog = &queue->list;
    queue->qlen = 0;
    queue->max_qlen = max_qlen;
}

int crypto_enqueue_request(struct crypto_queue *queue, struct crypto_async_request *request)
{
    int error = -EINPROGRESS;
    if (queue->qlen >= queue->max_qlen) {
        if (!(request->flags & MAY_BACKLOG))
            return -ENOSPC;
        error = -EBUSY;
        if (queue->backlog == &queue->list)
            queue->backlog = &request->list;
    }
    queue->qlen++;
    add_between(&request->list, queue->list.prev, &queue->list);
    return error;
}

void crypto_enqueue_request_head(struct crypto_queue *queue, struct crypto_async_request *request)
{
    if (queue->qlen >= queue->max_qlen)
        queue->backlog = queue->backlog->prev;
    queue->qlen++;
    add_between(&request->list, &queue->list, queue->list.next);
}

struct crypto_async_request *crypto_dequeue_request(struct crypto_queue *queue)
{
    struct list_head *request, *before, *after;
    if (!queue->qlen)
        return NULL;
    queue->qlen--;
    if (queue->backlog != &queue->list)
        queue->backlog = queue->backlog->next;
    request = queue->list.next;
    before = request->prev;
    after = request->next;
    after->prev = before;
    before->next = after;
    request->next = NULL;
    request->prev = NULL;
    return (struct crypto_async_request *)request;
}
