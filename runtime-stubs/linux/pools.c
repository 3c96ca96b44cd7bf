/* Pools of memory: of blocks that a device shares (mm/dmapool.c), of elements that are kept back (mm/mempool.c). A pool that is destroyed is
 * gone, and so is what is given back.
 */
#include "irkiss_linux.h"

#define GFP_ZERO 0x100u
#define MAY_SLEEP 0x400u /* __GFP_DIRECT_RECLAIM */

/* ---- The size of the blocks is a number beside the pool. ---- */
void *dma_pool_create(const char *, void *, usize size, usize, usize)
{
    void *pool;
    if (__irkiss_nondet_bool())
        return NULL;
    pool = __irkiss_alloc(1, 1);
    __irkiss_ghost_set(pool, IRKISS_GHOST_LIMIT, size);
    return pool;
}

/* Destroyed when the driver is unbound (managed.c). */
void *dmam_pool_create(const char *name, void *device, usize size, usize align, usize boundary)
{
    void *pool = dma_pool_create(name, device, size, align, boundary);
    irkiss_manage_memory(pool);
    return pool;
}

void *dma_pool_alloc(void *pool, u32 flags, irkiss_bus_address *handle)
{
    __irkiss_used(pool);
    if (__irkiss_nondet_bool())
        return NULL;
    *handle = (irkiss_bus_address)__irkiss_nondet_u64();
    return __irkiss_alloc(__irkiss_ghost_get(pool, IRKISS_GHOST_LIMIT), (flags & GFP_ZERO) != 0);
}

void dma_pool_free(void *pool, void *block, irkiss_bus_address)
{
    __irkiss_used(pool);
    __irkiss_free(block);
}

void dma_pool_destroy(void *pool)
{
    __irkiss_free_given(pool);
}

/* ---- A pool calls the functions that it was made with, which may be the driver's. They stand at its beginning, where nobody else looks. ---- */
struct pool {
    void *(*alloc)(u32, void *);
    void (*free)(void *, void *);
    void *data;
};

int mempool_init(struct pool *pool, int, void *(*alloc)(u32, void *), void (*free)(void *, void *), void *data)
{
    if (__irkiss_nondet_bool())
        return -ENOMEM;
    pool->alloc = alloc;
    pool->free = free;
    pool->data = data;
    return 0;
}

void *mempool_create(int, void *(*alloc)(u32, void *), void (*free)(void *, void *), void *data)
{
    struct pool *pool;
    if (__irkiss_nondet_bool())
        return NULL;
    pool = __irkiss_alloc(sizeof *pool, 1);
    pool->alloc = alloc;
    pool->free = free;
    pool->data = data;
    return pool;
}

void *mempool_create_node(int least, void *(*alloc)(u32, void *), void (*free)(void *, void *), void *data, u32, int)
{
    return mempool_create(least, alloc, free, data);
}

void mempool_destroy(void *pool)
{
    __irkiss_free_given(pool);
}

/* Who may sleep waits until there is one. */
void *mempool_alloc(struct pool *pool, u32 flags)
{
    void *element = pool->alloc(flags, pool->data);
    __irkiss_assume(element || !(flags & MAY_SLEEP));
    return element;
}

void mempool_free(void *element, struct pool *pool)
{
    if (element)
        pool->free(element, pool->data);
}

void *__kmalloc(usize size, u32 flags);
void kfree(const void *object);
void *kmem_cache_alloc(void *cache, u32 flags);
void kmem_cache_free(void *cache, void *object);

void *mempool_kmalloc(u32 flags, void *size)
{
    return __kmalloc((usize)(uptr)size, flags);
}

void mempool_kfree(void *element, void *)
{
    kfree(element);
}

void *mempool_alloc_slab(u32 flags, void *cache)
{
    return kmem_cache_alloc(cache, flags);
}

void mempool_free_slab(void *element, void *cache)
{
    kmem_cache_free(cache, element);
}
