// irkiss: --property uaf ; expect: uaf ; lazy: yes
//
// As pools_destroyed_safe.c, but nobody looks whether the pool is still there.
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
static struct dma_pool *blocks;
static struct kmem_cache *cache;
static mempool_t *elements, *slabs;
static dma_addr_t handle;

#define DEVICE(id, use, destroy) \
    static _Bool gone_##id; \
    static ssize_t read_##id(struct file *file, char __user *buffer, size_t bytes, loff_t *position) \
    { \
        mutex_lock(&lock); \
        if (1) \
            use; \
        mutex_unlock(&lock); \
        return 0; \
    } \
    static ssize_t write_##id(struct file *file, const char __user *buffer, size_t bytes, loff_t *position) \
    { \
        mutex_lock(&lock); \
        if (!gone_##id) \
            destroy; \
        gone_##id = 1; \
        mutex_unlock(&lock); \
        return 0; \
    } \
    static const struct file_operations fops_##id = { .owner = THIS_MODULE, .read = read_##id, .write = write_##id }; \
    static struct miscdevice device_##id = { .minor = 255, .name = #id, .fops = &fops_##id };

DEVICE(blocks, (void)dma_pool_alloc(blocks, GFP_KERNEL, &handle), dma_pool_destroy(blocks)) // FREED
DEVICE(elements, (void)mempool_alloc(elements, GFP_KERNEL), mempool_destroy(elements)) // FREED
DEVICE(slabs, (void)mempool_alloc(slabs, GFP_KERNEL), kmem_cache_destroy(cache)) // FREED

static int demo_init(void)
{
    blocks = dma_pool_create("blocks", NULL, 8, 8, 0);
    cache = kmem_cache_create("cache", 8, 8, 0, NULL);
    if (!blocks || !cache)
        return -ENOMEM;
    elements = mempool_create(1, mempool_kmalloc, mempool_kfree, (void *)8);
    slabs = mempool_create(1, mempool_alloc_slab, mempool_free_slab, cache);
    if (!elements || !slabs)
        return -ENOMEM;
    if (misc_register(&device_blocks) || misc_register(&device_elements))
        return -EBUSY;
    return misc_register(&device_slabs);
}

module_init(demo_init)
