// irkiss: ; expect: none ; forms: nopass ; lazy: yes
//
// Memory has the size that was asked for: a write behind it ends the thread there, so that nothing fails. (As answers_bits.c: the
// bodies here are not what the functions do.)
#include "answers.h"

#define INLINE static __attribute__((noinline))
#define ENDS(call, bytes) \
    { \
        volatile char *memory = (char *)call; \
        if (memory && !IS_ERR(memory) && __irkiss_nondet_bool()) { \
            memory[bytes] = 1; \
            CHECK(0); \
        } \
    }

INLINE void *kmalloc(size_t size, unsigned int flags) { return NULL; }
INLINE void *kzalloc(size_t size, unsigned int flags) { return NULL; }
extern void *vmalloc(unsigned long), *kvmalloc_node(size_t, unsigned int, int), *memdup_user(const void *, size_t);
extern void *vmemdup_user(const void *, size_t), *vmalloc_noprof(unsigned long);
extern void *usb_alloc_coherent(void *, size_t, unsigned int, unsigned long long *);
extern unsigned long *bitmap_alloc(unsigned int, unsigned int);

static void answers(void)
{
    unsigned long long handle;
    ENDS(kmalloc(8, GFP_KERNEL), 8)
    ENDS(kzalloc(8, GFP_KERNEL), 8)
    ENDS(vmalloc(8), 8)
    ENDS(vmalloc_noprof(8), 8)
    ENDS(kvmalloc_node(8, GFP_KERNEL, 0), 8)
    ENDS(memdup_user(NULL, 8), 8)
    ENDS(vmemdup_user(NULL, 8), 8)
    ENDS(usb_alloc_coherent(NULL, 8, GFP_KERNEL, &handle), 8)
    ENDS(bitmap_alloc(64, GFP_KERNEL), 8)
}
