/* Queues in a ring (lib/kfifo.c; struct __kfifo in include/linux/kfifo.h, the same from 3.10 to 6.12).
 *
 * One reader and one writer need no lock: each reads the other's index marked and writes its own marked, and reads its own
 * plainly, so that two writers, or two readers, without a lock are a race. The kernel's code spells both plainly.
 */
#include "irkiss_linux.h"

struct irkiss___kfifo {
    u32 in, out, mask, esize;
    u8 *data;
};

#define MARKED(index) (*(const volatile u32 *)&(index))

static void advance(u32 *index, u32 to)
{
    *(volatile u32 *)index = to;
}

int __kfifo_alloc(struct irkiss___kfifo *fifo, unsigned int size, usize esize, u32)
{
    u32 slots = 2;
    fifo->in = 0;
    fifo->out = 0;
    fifo->esize = (u32)esize;
    if (size < 2 || __irkiss_nondet_bool()) {
        fifo->data = NULL;
        fifo->mask = 0;
        return size < 2 ? -EINVAL : -ENOMEM;
    }
    /* roundup_pow_of_two */
    slots = 1u << (32 - __builtin_clz(size - 1));
    fifo->data = __irkiss_alloc((u64)slots * esize, 0);
    fifo->mask = slots - 1;
    return 0;
}

int __kfifo_init(struct irkiss___kfifo *fifo, void *buffer, unsigned int size, usize esize)
{
    u32 slots = esize ? size / (u32)esize : size;
    fifo->in = 0;
    fifo->out = 0;
    fifo->esize = (u32)esize;
    fifo->data = buffer;
    if (slots < 2) {
        fifo->mask = 0;
        return -EINVAL;
    }
    fifo->mask = (1u << (31 - __builtin_clz(slots))) - 1;
    return 0;
}

void __kfifo_free(struct irkiss___kfifo *fifo)
{
    __irkiss_free(fifo->data);
    fifo->in = 0;
    fifo->out = 0;
    fifo->esize = 0;
    fifo->data = NULL;
    fifo->mask = 0;
}

/* Elements from `at` on: up to the end of the ring, then from its start. */
static void ring(const struct irkiss___kfifo *fifo, u32 at, u32 count, _Bool write)
{
    u64 size = (u64)fifo->mask + 1, first;
    at &= fifo->mask;
    first = count < size - at ? count : size - at;
    if (first) {
        if (write)
            __irkiss_havoc(fifo->data + (u64)at * fifo->esize, first * fifo->esize);
        else
            __irkiss_touch(fifo->data + (u64)at * fifo->esize, first * fifo->esize);
    }
    if (count > first) {
        if (write)
            __irkiss_havoc(fifo->data, (count - first) * fifo->esize);
        else
            __irkiss_touch(fifo->data, (count - first) * fifo->esize);
    }
}

/* Room for elements; how many of those asked for fit. */
static u32 fits(struct irkiss___kfifo *fifo, u32 count)
{
    u32 room = fifo->mask + 1 - (fifo->in - MARKED(fifo->out));
    return count < room ? count : room;
}

static u32 available(struct irkiss___kfifo *fifo, u32 count)
{
    u32 there = MARKED(fifo->in) - fifo->out;
    return count < there ? count : there;
}

unsigned int __kfifo_in(struct irkiss___kfifo *fifo, const void *from, unsigned int count)
{
    count = fits(fifo, count);
    if (count) {
        __irkiss_touch(from, (u64)count * fifo->esize);
        ring(fifo, fifo->in, count, 1);
    }
    advance(&fifo->in, fifo->in + count);
    return count;
}

unsigned int __kfifo_out_peek(struct irkiss___kfifo *fifo, void *to, unsigned int count)
{
    count = available(fifo, count);
    if (count) {
        ring(fifo, fifo->out, count, 0);
        __irkiss_havoc(to, (u64)count * fifo->esize);
    }
    return count;
}

unsigned int __kfifo_out(struct irkiss___kfifo *fifo, void *to, unsigned int count)
{
    count = __kfifo_out_peek(fifo, to, count);
    advance(&fifo->out, fifo->out + count);
    return count;
}

/* Bytes of user space; a fault may cut them short. */
int __kfifo_from_user(struct irkiss___kfifo *fifo, const void *, unsigned long bytes, unsigned int *copied)
{
    u32 count = fits(fifo, (u32)(fifo->esize ? bytes / fifo->esize : bytes));
    if (__irkiss_nondet_bool()) {
        *copied = 0;
        return -EFAULT;
    }
    if (count)
        ring(fifo, fifo->in, count, 1);
    *copied = count * fifo->esize;
    advance(&fifo->in, fifo->in + count);
    return 0;
}

int __kfifo_to_user(struct irkiss___kfifo *fifo, void *, unsigned long bytes, unsigned int *copied)
{
    u32 count = available(fifo, (u32)(fifo->esize ? bytes / fifo->esize : bytes));
    if (__irkiss_nondet_bool()) {
        *copied = 0;
        return -EFAULT;
    }
    if (count)
        ring(fifo, fifo->out, count, 0);
    *copied = count * fifo->esize;
    advance(&fifo->out, fifo->out + count);
    return 0;
}
