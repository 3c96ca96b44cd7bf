// irkiss: --property uaf ; expect: uaf ; lazy: yes
//
// As pools_safe.c, but nothing keeps a second reader from giving the same thing back again.
#include "kernel.h"

typedef unsigned long long dma_addr_t;
struct dma_pool;
struct kmem_cache;
typedef struct mempool { long opaque[16]; } mempool_t;
extern struct dma_pool *dma_pool_create(const char *, void *, size_t, size_t, size_t), *dmam_pool_create(const char *, void *, size_t, size_t, size_t);
extern void *dma_pool_alloc(struct dma_pool *, unsigned int, dma_addr_t *);
extern void dma_pool_free(struct dma_pool *, void *, dma_addr_t), dma_pool_destroy(struct dma_pool *);
typedef void *(*alloc_fn)(unsigned int, void *);
typedef void (*free_fn)(void *, void *);
extern mempool_t *mempool_create(int, alloc_fn, free_fn, void *), *mempool_create_node(int, alloc_fn, free_fn, void *, unsigned int, int);
extern int mempool_init(mempool_t *, int, alloc_fn, free_fn, void *);
extern void *mempool_alloc(mempool_t *, unsigned int), *mempool_kmalloc(unsigned int, void *), *mempool_alloc_slab(unsigned int, void *);
extern void mempool_free(void *, mempool_t *), mempool_destroy(mempool_t *), mempool_kfree(void *, void *), mempool_free_slab(void *, void *);
extern struct kmem_cache *kmem_cache_create(const char *, unsigned int, unsigned int, unsigned int, void (*)(void *));
extern void *kmem_cache_alloc(struct kmem_cache *, unsigned int);
extern void kmem_cache_destroy(struct kmem_cache *);

static DEFINE_MUTEX(lock);
static struct dma_pool *blocks, *managed;
static struct kmem_cache *cache;
static mempool_t *elements, *slabs, own;
static dma_addr_t handle;

#define DEVICE(id, free) \
    static long *object_##id; \
    static ssize_t read_##id(struct file *file, char __user *buffer, size_t bytes, loff_t *position) \
    { \
        long *taken; \
        taken = object_##id; \
        free; \
        return 0; \
    } \
    static const struct file_operations fops_##id = { .owner = THIS_MODULE, .read = read_##id }; \
    static struct miscdevice device_##id = { .minor = 255, .name = #id, .fops = &fops_##id };
#define REGISTER(id, made) \
    object_##id = (made); \
    if (!object_##id || misc_register(&device_##id)) \
        return -ENOMEM;

DEVICE(block, dma_pool_free(blocks, taken, 0)) // FREED
DEVICE(managed, dma_pool_free(managed, taken, 0)) // FREED
DEVICE(element, mempool_free(taken, elements)) // FREED
DEVICE(slab, mempool_free(taken, slabs)) // FREED
DEVICE(own, mempool_free(taken, &own)) // FREED
DEVICE(dma_pool, dma_pool_destroy((struct dma_pool *)taken)) // FREED
DEVICE(mempool, mempool_destroy((mempool_t *)taken)) // FREED
DEVICE(cache, kmem_cache_destroy((struct kmem_cache *)taken)) // FREED

static int demo_init(void)
{
    blocks = dma_pool_create("blocks", NULL, 8, 8, 0);
    managed = dmam_pool_create("managed", NULL, 8, 8, 0);
    cache = kmem_cache_create("cache", 8, 8, 0, NULL);
    if (!blocks || !managed || !cache)
        return -ENOMEM;
    elements = mempool_create(1, mempool_kmalloc, mempool_kfree, (void *)8);
    slabs = mempool_create_node(1, mempool_alloc_slab, mempool_free_slab, cache, GFP_KERNEL, -1);
    if (!elements || !slabs || mempool_init(&own, 1, mempool_kmalloc, mempool_kfree, (void *)8))
        return -ENOMEM;
    REGISTER(block, dma_pool_alloc(blocks, GFP_KERNEL, &handle))
    REGISTER(managed, dma_pool_alloc(managed, GFP_KERNEL, &handle))
    REGISTER(element, mempool_alloc(elements, GFP_KERNEL))
    REGISTER(slab, mempool_alloc(slabs, GFP_KERNEL))
    REGISTER(own, mempool_alloc(&own, GFP_KERNEL))
    REGISTER(dma_pool, (long *)dma_pool_create("pool", NULL, 8, 8, 0))
    REGISTER(mempool, (long *)mempool_create(1, mempool_kmalloc, mempool_kfree, (void *)8))
    REGISTER(cache, (long *)kmem_cache_create("cache", 8, 8, 0, NULL))
    *object_block = *object_managed = *object_element = *object_slab = *object_own = 1;
    return 0;
}

module_init(demo_init)
