// irkiss: --unwind 4 ; expect: none ; forms: nopass ; lazy: yes
//
// Queues of buffers, numbers, tables, rings, buffers of virtqueues: what was put in is what comes out.
#include "answers.h"

struct sk_buff {
    struct sk_buff *next, *prev;
};
struct sk_buff_head {
    struct sk_buff *next, *prev;
    unsigned int qlen;
};
extern void skb_queue_tail(struct sk_buff_head *, struct sk_buff *), skb_queue_head(struct sk_buff_head *, struct sk_buff *);
extern void skb_append(struct sk_buff *, struct sk_buff *, struct sk_buff_head *), skb_unlink(struct sk_buff *, struct sk_buff_head *);
extern struct sk_buff *skb_dequeue(struct sk_buff_head *), *skb_dequeue_tail(struct sk_buff_head *);
extern void skb_queue_purge(struct sk_buff_head *), skb_queue_purge_reason(struct sk_buff_head *, int);
static struct sk_buff_head queue = { (struct sk_buff *)&queue, (struct sk_buff *)&queue, 0 };
static struct sk_buff one, two;

static void queues(void)
{
    CHECK(!skb_dequeue(&queue) && !skb_dequeue_tail(&queue));
    skb_queue_tail(&queue, &one);
    skb_queue_tail(&queue, &two);
    CHECK(queue.qlen == 2 && skb_dequeue(&queue) == &one);
    skb_queue_head(&queue, &one);
    CHECK(skb_dequeue_tail(&queue) == &two && queue.qlen == 1);
    skb_append(&one, &two, &queue);
    skb_unlink(&one, &queue);
    CHECK(skb_dequeue(&queue) == &two);
    skb_queue_tail(&queue, &one);
    skb_queue_purge(&queue);
    CHECK(queue.qlen == 0 && !skb_dequeue(&queue));
    skb_queue_tail(&queue, &one);
    skb_queue_purge_reason(&queue, 0);
    CHECK(queue.qlen == 0 && !skb_dequeue(&queue));
}

extern int ida_alloc_range(void *, unsigned int, unsigned int, unsigned int);
extern int idr_alloc(void *, void *, int, int, unsigned int), idr_alloc_cyclic(void *, void *, int, int, unsigned int);
extern void *idr_find(const void *, unsigned long), *idr_remove(void *, unsigned long), *idr_replace(void *, void *, unsigned long);
extern void *idr_get_next(void *, int *);
extern int idr_for_each(const void *, int (*)(int, void *, void *), void *);
extern void idr_destroy(void *);
static long table[4];

static int seen(int number, void *object, void *data)
{
    return object == &one && data == &two ? 7 : 8;
}

static void numbers(void)
{
    int number = ida_alloc_range(table, 3, 5, 0), next = 0;
    CHECK(number == -ENOMEM || (number >= 3 && number <= 5));
    number = idr_alloc(table, &one, 2, 0, 0);
    if (number >= 0) {
        CHECK(number >= 2 && idr_find(table, number) == &one && !idr_find(table, number + 1));
        CHECK(idr_for_each(table, seen, &two) == 7);
        CHECK(idr_get_next(table, &next) == &one && next == number);
        if (number < 100) {
            next++;
            CHECK(!idr_get_next(table, &next));
        }
        CHECK(idr_replace(table, &two, number) == &one && idr_remove(table, number) == &two && !idr_find(table, number));
    }
    number = idr_alloc_cyclic(table, &one, 2, 0, 0);
    if (number >= 0) {
        CHECK(number >= 2 && idr_find(table, number) == &one);
        idr_destroy(table);
        CHECK(!idr_find(table, number));
    }
}

struct limit {
    unsigned int max, min;
};
extern void *xa_load(void *, unsigned long), *xa_store(void *, unsigned long, void *, unsigned int), *xa_erase(void *, unsigned long);
extern void *__xa_erase(void *, unsigned long), *__xa_store(void *, unsigned long, void *, unsigned int);
extern void *__xa_cmpxchg(void *, unsigned long, void *, void *, unsigned int);
extern void *xa_find(void *, unsigned long *, unsigned long, unsigned int), *xa_find_after(void *, unsigned long *, unsigned long, unsigned int);
extern int __xa_insert(void *, unsigned long, void *, unsigned int);
extern int __xa_alloc_cyclic(void *, unsigned int *, void *, struct limit, unsigned int *, unsigned int);
extern int __xa_alloc(void *, unsigned int *, void *, struct limit, unsigned int);
extern void xa_destroy(void *);
static long array[4];

static void further(struct limit limit)
{
    unsigned int number = 0, next = 0;
    unsigned long at = 0;
    int failed;
    if (!__xa_store(array, 5, &one, 0)) {
        CHECK(__xa_insert(array, 5, &two, 0) && xa_load(array, 5) == &one);
        CHECK(xa_find(array, &at, 9, 8) == &one && at == 5 && !xa_find_after(array, &at, 9, 8) && at == 5);
        CHECK(!xa_find_after(array, &at, 4, 8) && __xa_cmpxchg(array, 5, &two, NULL, 0) != &two && xa_load(array, 5) == &one);
        if (__xa_cmpxchg(array, 5, &one, &two, 0) == &one)
            CHECK(xa_load(array, 5) == &two);
        xa_erase(array, 5);
        at = 0;
        CHECK(!xa_find(array, &at, 9, 8) && at == 0);
    }
    if (!__xa_insert(array, 6, &one, 0))
        CHECK(xa_erase(array, 6) == &one);
    failed = __xa_alloc_cyclic(array, &number, &two, limit, &next, 0);
    CHECK(failed <= 1);
    if (failed >= 0)
        CHECK(number >= 4 && number <= 9 && next == number + 1 && xa_erase(array, number) == &two);
}

static void arrays(void)
{
    struct limit limit = { 9, 4 };
    unsigned int number = 0;
    void *old = xa_store(array, 5, &one, 0);
    if (!old) {
        CHECK(xa_load(array, 5) == &one && !xa_load(array, 6));
        CHECK(xa_erase(array, 5) == &one && !xa_load(array, 5));
    }
    if (!__xa_alloc(array, &number, &two, limit, 0)) {
        CHECK(number >= 4 && number <= 9 && xa_load(array, number) == &two);
        CHECK(__xa_erase(array, number) == &two && !xa_load(array, number));
    }
    if (!xa_store(array, 5, &one, 0)) {
        xa_destroy(array);
        CHECK(!xa_load(array, 5));
    }
    further(limit);
}

extern int radix_tree_insert(void *, unsigned long, void *);
extern void *radix_tree_lookup(const void *, unsigned long), *radix_tree_delete(void *, unsigned long);
static long tree[4];

static void trees(void)
{
    if (!radix_tree_insert(tree, 5, &one)) {
        CHECK(radix_tree_lookup(tree, 5) == &one && !radix_tree_lookup(tree, 6));
        CHECK(radix_tree_insert(tree, 5, &two) && radix_tree_lookup(tree, 5) == &one);
        CHECK(radix_tree_delete(tree, 5) == &one && !radix_tree_lookup(tree, 5));
    }
}

struct __kfifo {
    unsigned int in, out, mask, esize;
    int *data;
};
extern int __kfifo_alloc(struct __kfifo *, unsigned int, size_t, unsigned int), __kfifo_init(struct __kfifo *, void *, unsigned int, size_t);
extern void __kfifo_free(struct __kfifo *);
extern unsigned int __kfifo_in(struct __kfifo *, const void *, unsigned int), __kfifo_out(struct __kfifo *, void *, unsigned int);
extern unsigned int __kfifo_out_peek(struct __kfifo *, void *, unsigned int);
extern int __kfifo_from_user(struct __kfifo *, const void *, unsigned long, unsigned int *);
extern int __kfifo_to_user(struct __kfifo *, void *, unsigned long, unsigned int *);

static void rings(void)
{
    struct __kfifo fifo = { 1, 1, 1, 1 };
    int buffer[4], data[3] = { 0 };
    unsigned int copied = 9;
    if (!__kfifo_alloc(&fifo, 3, sizeof(int), 0)) {
        CHECK(fifo.in == 0 && fifo.out == 0 && fifo.mask == 3 && fifo.esize == 4 && fifo.data);
        __kfifo_free(&fifo);
        CHECK(!fifo.data && !fifo.mask);
    }
    CHECK(!__kfifo_init(&fifo, buffer, sizeof(buffer), sizeof(int)) && fifo.mask == 3 && fifo.data == buffer);
    CHECK(__kfifo_in(&fifo, data, 3) == 3 && __kfifo_in(&fifo, data, 3) == 1 && fifo.in == 4);
    CHECK(__kfifo_out_peek(&fifo, data, 1) == 1 && fifo.out == 0);
    CHECK(__kfifo_out(&fifo, data, 3) == 3 && __kfifo_out(&fifo, data, 3) == 1 && fifo.out == 4);
    CHECK(__kfifo_from_user(&fifo, NULL, 8, &copied) ? copied == 0 && fifo.in == 4 : copied == 8 && fifo.in == 6);
    fifo.in = 6;
    CHECK(__kfifo_to_user(&fifo, NULL, 8, &copied) ? copied == 0 && fifo.out == 4 : copied == 8 && fifo.out == 6);
}

extern int virtqueue_add_inbuf(void *, void *, unsigned int, void *, unsigned int);
extern int virtqueue_add_outbuf(void *, void *, unsigned int, void *, unsigned int);
extern int virtqueue_add_inbuf_ctx(void *, void *, unsigned int, void *, void *, unsigned int);
extern int virtqueue_add_sgs(void *, void **, unsigned int, unsigned int, void *, unsigned int);
extern void *virtqueue_get_buf(void *, unsigned int *), *virtqueue_get_buf_ctx(void *, unsigned int *, void **);
extern void *virtqueue_detach_unused_buf(void *);
static long virtqueue[4];

#define BUFFERS(add, get) \
    if (!add) { \
        void *back = get; \
        CHECK(back == NULL || back == &one); \
        if (back) \
            CHECK(!get); \
        virtqueue_detach_unused_buf(virtqueue); \
    }

static void buffers(void)
{
    unsigned int length;
    void *context = NULL, *back;
    BUFFERS(virtqueue_add_inbuf(virtqueue, NULL, 1, &one, 0), virtqueue_get_buf(virtqueue, &length))
    BUFFERS(virtqueue_add_outbuf(virtqueue, NULL, 1, &one, 0), virtqueue_get_buf(virtqueue, &length))
    BUFFERS(virtqueue_add_sgs(virtqueue, NULL, 1, 1, &one, 0), virtqueue_detach_unused_buf(virtqueue))
    back = virtqueue_get_buf(virtqueue, &length);
    CHECK(back == NULL || back == &one);
    if (!virtqueue_add_inbuf_ctx(virtqueue, NULL, 1, &one, &two, 0)) {
        back = virtqueue_get_buf_ctx(virtqueue, &length, &context);
        CHECK(back == NULL || (back == &one && context == &two));
    }
}

static void answers(void)
{
    queues();
    numbers();
    arrays();
    trees();
    rings();
    buffers();
}
