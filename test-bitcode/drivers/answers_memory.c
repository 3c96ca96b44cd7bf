// irkiss: ; expect: none ; lazy: yes
//
// Memory that was asked for: cleared where that was asked for as well, a copy where one was asked for; null or an error if there
// is none.
#include "answers.h"

#define ZERO 0x100u
// Of cleared memory the last long is 0; of any, what was written is there.
#define CLEARED(call) \
    { \
        long *memory = (long *)call; \
        if (memory) { \
            CHECK(memory[3] == 0); \
            memory[3] = 7; \
            CHECK(memory[3] == 7); \
        } \
    }
#define COPY(call) \
    { \
        char *copy = (char *)call; \
        if (copy && !IS_ERR(copy)) \
            CHECK(copy[0] == 'a' && copy[1] == 'b'); \
    }

extern void *__kmalloc_noprof(size_t, unsigned int), *__kmalloc_node(size_t, unsigned int, int);
extern void *__kmalloc_node_track_caller(size_t, unsigned int, int, unsigned long), *kmalloc_trace(void *, unsigned int, size_t);
extern void *kmalloc_node_trace(void *, unsigned int, int, size_t), *__kmalloc_cache_noprof(void *, unsigned int, size_t);
extern void *kmalloc_large(size_t, unsigned int), *__kmalloc_large_noprof(size_t, unsigned int), *kvmalloc_node(size_t, unsigned int, int);
extern void *vzalloc(unsigned long), *vmalloc_user(unsigned long), *vmalloc(unsigned long), *devm_kmalloc(void *, size_t, unsigned int);
extern void *devm_kmemdup(void *, const void *, size_t, unsigned int), *kmemdup(const void *, size_t, unsigned int);
extern unsigned long __get_free_pages(unsigned int, unsigned int), get_zeroed_page(unsigned int);
extern unsigned long get_free_pages_noprof(unsigned int, unsigned int), get_zeroed_page_noprof(unsigned int);
extern char *kstrdup(const char *, unsigned int), *kstrndup(const char *, size_t, unsigned int);
extern char *kasprintf(unsigned int, const char *, ...);
extern void *dma_alloc_attrs(void *, size_t, unsigned long long *, unsigned int, unsigned long);
extern void *usb_alloc_coherent(void *, size_t, unsigned int, unsigned long long *);
extern void *kmem_cache_create(const char *, unsigned int, unsigned int, unsigned int, void *);
extern void *kmem_cache_alloc(void *, unsigned int);
extern void *__alloc_percpu(size_t, size_t), *__alloc_percpu_gfp(size_t, size_t, unsigned int);
extern void *vzalloc_noprof(unsigned long), *__kvmalloc_node_noprof(size_t, void *, unsigned int, int);
extern void *pcpu_alloc_noprof(size_t, size_t, _Bool, unsigned int), *kmemdup_noprof(const void *, size_t, unsigned int);
extern unsigned long *bitmap_alloc(unsigned int, unsigned int), *bitmap_zalloc(unsigned int, unsigned int);

static void answers(void)
{
    unsigned long long handle;
    void *cache;
    char *text;

    // There are no contiguous pages for more than 4 MB.
    CHECK(!__kmalloc((4ul << 20) + 1, GFP_KERNEL) && !vmalloc(1ul << 31));
    CLEARED(__kmalloc(32, ZERO))
    CLEARED(__kmalloc_noprof(32, ZERO))
    CLEARED(__kmalloc_node(32, ZERO, 0))
    CLEARED(__kmalloc_node_track_caller(32, ZERO, 0, 0))
    CLEARED(kmalloc_trace(NULL, ZERO, 32))
    CLEARED(kmalloc_node_trace(NULL, ZERO, 0, 32))
    CLEARED(__kmalloc_cache_noprof(NULL, ZERO, 32))
    CLEARED(kmalloc_large(32, ZERO))
    CLEARED(__kmalloc_large_noprof(32, ZERO))
    CLEARED(kvmalloc_node(32, ZERO, 0))
    CLEARED(vzalloc(32))
    CLEARED(vmalloc_user(32))
    CLEARED(devm_kmalloc(NULL, 32, ZERO))
    CLEARED(__get_free_pages(ZERO, 0))
    CLEARED(get_zeroed_page(0))
    CLEARED(get_free_pages_noprof(ZERO, 0))
    CLEARED(get_zeroed_page_noprof(0))
    CLEARED(dma_alloc_attrs(NULL, 32, &handle, 0, 0))
    CLEARED(__alloc_percpu(32, 8))
    CLEARED(__alloc_percpu_gfp(32, 8, 0))
    CLEARED(bitmap_zalloc(256, 0))
    CLEARED(vzalloc_noprof(32))
    CLEARED(__kvmalloc_node_noprof(32, NULL, ZERO, 0))
    CLEARED(pcpu_alloc_noprof(32, 8, 0, 0))
    COPY(kmemdup_noprof("ab", 3, 0))
    COPY(devm_kmemdup(NULL, "ab", 3, 0))
    COPY(kmemdup("ab", 3, 0))
    COPY(kstrdup("ab", 0))
    COPY(kstrndup("abc", 2, 0))
    text = kstrndup("abc", 2, 0);
    if (text)
        CHECK(text[2] == 0);
    CHECK(!IS_ERR(kasprintf(0, "ab")));
    cache = kmem_cache_create("cache", 32, 8, 0, NULL);
    if (cache)
        CLEARED(kmem_cache_alloc(cache, ZERO))
}
