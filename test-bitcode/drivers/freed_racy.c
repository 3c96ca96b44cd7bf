// irkiss: --property uaf ; expect: uaf ; lazy: yes
//
// As freed_safe.c, but nothing keeps a second reader from freeing the object again.
#include "kernel.h"

extern void kfree_sensitive(const void *);
extern void vfree(const void *);
extern void kvfree(const void *);
extern void devm_kfree(void *, const void *);
extern void free_pages(unsigned long, unsigned int);
extern void kmem_cache_free(void *, void *);
extern void dma_free_attrs(void *, size_t, void *, unsigned long long, unsigned long);
extern void usb_free_coherent(void *, size_t, void *, unsigned long long);
extern void bitmap_free(const unsigned long *);
extern void free_percpu(void *);
extern void usb_ep_free_request(void *, void *);

#define DEVICE(id, free) \
    static long *object_##id; \
    static ssize_t read_##id(struct file *file, char __user *buffer, size_t bytes, loff_t *position) \
    { \
        long *taken = object_##id; \
        free; \
        return 0; \
    } \
    static const struct file_operations fops_##id = { .owner = THIS_MODULE, .read = read_##id }; \
    static struct miscdevice device_##id = { .minor = 255, .name = #id, .fops = &fops_##id };
#define REGISTER(id) \
    object_##id = __kmalloc(8, GFP_KERNEL); \
    if (!object_##id || misc_register(&device_##id)) \
        return -ENOMEM;

DEVICE(kfree, kfree(taken)) // FREED
DEVICE(kfree_sensitive, kfree_sensitive(taken)) // FREED
DEVICE(vfree, vfree(taken)) // FREED
DEVICE(kvfree, kvfree(taken)) // FREED
DEVICE(devm_kfree, devm_kfree(NULL, taken)) // FREED
DEVICE(free_pages, free_pages((unsigned long)taken, 0)) // FREED
DEVICE(kmem_cache_free, kmem_cache_free(NULL, taken)) // FREED
DEVICE(dma_free_attrs, dma_free_attrs(NULL, 8, taken, 0, 0)) // FREED
DEVICE(usb_free_coherent, usb_free_coherent(NULL, 8, taken, 0)) // FREED
DEVICE(bitmap_free, bitmap_free(taken)) // FREED
DEVICE(free_percpu, free_percpu(taken)) // FREED
DEVICE(usb_ep_free_request, usb_ep_free_request(NULL, taken)) // FREED

static int demo_init(void)
{
    REGISTER(kfree)
    REGISTER(kfree_sensitive)
    REGISTER(vfree)
    REGISTER(kvfree)
    REGISTER(devm_kfree)
    REGISTER(free_pages)
    REGISTER(kmem_cache_free)
    REGISTER(dma_free_attrs)
    REGISTER(usb_free_coherent)
    REGISTER(bitmap_free)
    REGISTER(free_percpu)
    REGISTER(usb_ep_free_request)
    return 0;
}

module_init(demo_init)
