/* Pages: the page is an object of its own, which knows the memory that it stands for. Freeing drops a reference: the memory
 * stays, for who else holds the page is not modelled. */
#include "irkiss_linux.h"

#define PAGE_BYTES 4096ull
#define GFP_ZERO 0x100u

static void *page(u32 flags, u32 order)
{
    void *page, *memory;
    if (__irkiss_nondet_bool())
        return NULL;
    page = __irkiss_lazy(0, "page");
    memory = __irkiss_alloc(PAGE_BYTES << (order & 15), (flags & GFP_ZERO) != 0);
    __irkiss_ghost_set(page, IRKISS_GHOST_CONTEXT, (u64)(uptr)memory);
    return page;
}

void *alloc_pages(u32 flags, u32 order)
{
    return page(flags, order);
}

void *alloc_pages_noprof(u32 flags, u32 order)
{
    return page(flags, order);
}

void *__alloc_pages(u32 flags, u32 order, int, void *)
{
    return page(flags, order);
}

void *__alloc_pages_noprof(u32 flags, u32 order, int, void *)
{
    return page(flags, order);
}

/* include/linux/mm.h; a page that was not allocated here gets memory of its own. */
void *irkiss_model__lowmem_page_address(const void *page)
{
    u64 memory;
    __irkiss_atomic_begin();
    memory = __irkiss_ghost_get(page, IRKISS_GHOST_CONTEXT);
    if (!memory) {
        memory = (u64)(uptr)__irkiss_alloc(PAGE_BYTES, 0);
        __irkiss_ghost_set(page, IRKISS_GHOST_CONTEXT, memory);
    }
    __irkiss_atomic_end();
    return (void *)(uptr)memory;
}

/* ---- Per-CPU memory (include/linux/percpu-defs.h). No two threads share an instance, whichever CPU they run on; what is
 * reached by another CPU's number is one further instance, the base itself. ---- */
void *__irkiss_this_cpu(void *base)
{
    u32 key = IRKISS_GHOST_PERCPU + (u32)(__irkiss_self() & 63);
    u64 mine;
    __irkiss_atomic_begin();
    mine = __irkiss_ghost_get(base, key);
    if (!mine) {
        mine = (u64)(uptr)__irkiss_lazy(0, "per-CPU memory");
        __irkiss_ghost_set(base, key, mine);
    }
    __irkiss_atomic_end();
    return (void *)(uptr)mine;
}

void *__alloc_percpu(usize size, usize)
{
    return __irkiss_nondet_bool() ? NULL : __irkiss_alloc(size, 1);
}

void *__alloc_percpu_gfp(usize size, usize, u32)
{
    return __irkiss_nondet_bool() ? NULL : __irkiss_alloc(size, 1);
}

/* 6.10 and later; what __alloc_percpu is by then. */
void *pcpu_alloc_noprof(usize size, usize, _Bool, u32)
{
    return __irkiss_nondet_bool() ? NULL : __irkiss_alloc(size, 1);
}

void free_percpu(void *base)
{
    __irkiss_free(base);
}

/* Added to the base for another CPU's instance. */
unsigned long __per_cpu_offset[64];
