/* Disks of drivers that take requests (block/blk-mq.c): __blk_mq_alloc_disk makes a disk with a queue, which keeps the driver's data. */
#include "irkiss_linux.h"

u64 __irkiss_offsetof__gendisk__queue(void);
u64 __irkiss_offsetof__request_queue__queuedata(void);

static void set(char *object, u64 at, const void *pointer)
{
    if (at != IRKISS_NO_OFFSET)
        *(const void *volatile *)(object + at) = pointer;
}

void *__blk_mq_alloc_disk(void *, void *data, void *)
{
    char *disk, *queue;
    if (__irkiss_nondet_bool())
        return irkiss_error_pointer(ENOMEM);
    disk = __irkiss_lazy(0, "gendisk");
    queue = __irkiss_lazy(0, "request_queue");
    set(queue, __irkiss_offsetof__request_queue__queuedata(), data);
    set(disk, __irkiss_offsetof__gendisk__queue(), queue);
    return disk;
}
