/* Allocation. Each may fail; content is arbitrary unless zeroed is asked for. */
#include "irkiss_linux.h"

/* gfp_t bits. __GFP_ZERO is 0x100 up to 6.9 and from 6.10 on computed, with the same value on common configurations. */
#define GFP_ZERO 0x100u

/* Beyond this there are no contiguous pages (mm/page_alloc.c: __alloc_pages gives none of more than MAX_ORDER; 4 MB with pages
 * of 4 KB), and vmalloc has no room (mm/util.c: kvmalloc_node gives no more than INT_MAX). */
#define CONTIGUOUS (4ull << 20)
#define VIRTUAL 0x7fffffffull

static void *allocate(u64 size, u64 most, _Bool zero)
{
    if (size > most || __irkiss_nondet_bool())
        return NULL;
    return __irkiss_alloc(size, zero);
}

static void *by_flags(u64 size, u32 flags)
{
    return allocate(size, CONTIGUOUS, (flags & GFP_ZERO) != 0);
}

void *__kmalloc(usize size, u32 flags)
{
    return by_flags(size, flags);
}

void *__kmalloc_noprof(usize size, u32 flags)
{
    return by_flags(size, flags);
}

void *__kmalloc_node(usize size, u32 flags, int)
{
    return by_flags(size, flags);
}

void *__kmalloc_node_track_caller(usize size, u32 flags, int, unsigned long)
{
    return by_flags(size, flags);
}

void *kmalloc_trace(void *, u32 flags, usize size)
{
    return by_flags(size, flags);
}

void *kmalloc_node_trace(void *, u32 flags, int, usize size)
{
    return by_flags(size, flags);
}

void *__kmalloc_cache_noprof(void *, u32 flags, usize size)
{
    return by_flags(size, flags);
}

void *kmalloc_large(usize size, u32 flags)
{
    return by_flags(size, flags);
}

void *__kmalloc_large_noprof(usize size, u32 flags)
{
    return by_flags(size, flags);
}

void *kvmalloc_node(usize size, u32 flags, int)
{
    return allocate(size, VIRTUAL, (flags & GFP_ZERO) != 0);
}

void *irkiss_model__kmalloc(usize size, u32 flags)
{
    return by_flags(size, flags);
}

void *irkiss_model__kzalloc(usize size, u32)
{
    return allocate(size, CONTIGUOUS, 1);
}

void *vmalloc(unsigned long size)
{
    return allocate(size, VIRTUAL, 0);
}

void *vzalloc(unsigned long size)
{
    return allocate(size, VIRTUAL, 1);
}

void *vmalloc_user(unsigned long size)
{
    return allocate(size, VIRTUAL, 1);
}

/* 6.10 and later. The second argument is there with CONFIG_SLAB_BUCKETS. */
void *__kvmalloc_node_noprof(usize size, void *, u32 flags, int)
{
    return allocate(size, VIRTUAL, (flags & GFP_ZERO) != 0);
}

void *vmalloc_noprof(unsigned long size)
{
    return allocate(size, VIRTUAL, 0);
}

void *vzalloc_noprof(unsigned long size)
{
    return allocate(size, VIRTUAL, 1);
}

/* A block without bytes is at this address and is not freed (include/linux/slab.h: ZERO_SIZE_PTR; mm/slab_common.c: kfree). */
#define NO_BYTES 16ull

void kfree(const void *object)
{
    if ((u64)object > NO_BYTES)
        __irkiss_free((void *)object);
}

void kfree_sensitive(const void *object)
{
    kfree(object);
}

void vfree(const void *object)
{
    __irkiss_free((void *)object);
}

void kvfree(const void *object)
{
    kfree(object);
}

/* Freed when the driver is unbound (managed.c). */
void *devm_kmalloc(void *, usize size, u32 flags)
{
    void *object = by_flags(size, flags);
    irkiss_manage_memory(object);
    return object;
}

void devm_kfree(void *, const void *object)
{
    irkiss_forget_managed(object);
    __irkiss_free((void *)object);
}

void *devm_kmemdup(void *, const void *from, usize size, u32)
{
    void *to = allocate(size, CONTIGUOUS, 0);
    if (to)
        __builtin_memcpy(to, from, size);
    irkiss_manage_memory(to);
    return to;
}

void *kmemdup(const void *from, usize size, u32)
{
    void *to = allocate(size, CONTIGUOUS, 0);
    if (to)
        __builtin_memcpy(to, from, size);
    return to;
}

void *kmemdup_noprof(const void *from, usize size, u32 flags)
{
    return kmemdup(from, size, flags);
}

#define PAGE_BYTES 4096ull

unsigned long __get_free_pages(u32 flags, u32 order)
{
    return (unsigned long)by_flags(PAGE_BYTES << (order & 15), flags);
}

unsigned long get_zeroed_page(u32)
{
    return (unsigned long)allocate(PAGE_BYTES, CONTIGUOUS, 1);
}

unsigned long get_free_pages_noprof(u32 flags, u32 order)
{
    return __get_free_pages(flags, order);
}

unsigned long get_zeroed_page_noprof(u32 flags)
{
    return get_zeroed_page(flags);
}

void free_pages(unsigned long address, u32)
{
    __irkiss_free((void *)address);
}

void kmem_cache_free(void *, void *object)
{
    __irkiss_free(object);
}
