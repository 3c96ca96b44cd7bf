/* The C library's heap and memory functions. Where the program does not look at the result, allocation does not fail
 * (failures.c: where it does); memory is never reused, so a dangling pointer never meets a new object. */
#include "irkiss_pthread.h"

/* The size is remembered for realloc. */
void *irkiss_allocate(usize size, _Bool zero)
{
    void *object = __irkiss_alloc(size, zero);
    __irkiss_ghost_set(object, IRKISS_GHOST_LIMIT, size);
    return object;
}

IRKISS_ASSUMES("allocation-succeeds")
void *malloc(usize size) { return irkiss_allocate(size, 0); }
IRKISS_ASSUMES("allocation-succeeds")
void *calloc(usize count, usize size) { return irkiss_allocate(count * size, 1); }
IRKISS_ASSUMES("allocation-succeeds")
void *aligned_alloc(usize alignment, usize size) { (void)alignment; return irkiss_allocate(size, 0); }
IRKISS_ASSUMES("allocation-succeeds")
void *memalign(usize alignment, usize size) { (void)alignment; return irkiss_allocate(size, 0); }
IRKISS_ASSUMES("allocation-succeeds")
void *valloc(usize size) { return irkiss_allocate(size, 0); }
void free(void *object) { __irkiss_free(object); }
void cfree(void *object) { __irkiss_free(object); }

IRKISS_ASSUMES("allocation-succeeds")
int posix_memalign(void **object, usize alignment, usize size)
{
    (void)alignment;
    *object = irkiss_allocate(size, 0);
    return 0;
}

void *irkiss_reallocate(void *old, usize size)
{
    void *object = irkiss_allocate(size, 0);
    if (old) {
        u64 before = __irkiss_ghost_get(old, IRKISS_GHOST_LIMIT);
        __builtin_memcpy(object, old, (usize)(before < size ? before : size));
        __irkiss_free(old);
    }
    return object;
}

IRKISS_ASSUMES("allocation-succeeds")
void *realloc(void *old, usize size) { return irkiss_reallocate(old, size); }
IRKISS_ASSUMES("allocation-succeeds")
void *reallocarray(void *old, usize count, usize size) { return irkiss_reallocate(old, count * size); }

void *memcpy(void *to, const void *from, usize bytes) { return __builtin_memcpy(to, from, bytes); }
void *memmove(void *to, const void *from, usize bytes) { return __builtin_memmove(to, from, bytes); }
void *memset(void *to, int byte, usize bytes) { return __builtin_memset(to, byte, bytes); }
void bzero(void *to, usize bytes) { __builtin_memset(to, 0, bytes); }
void explicit_bzero(void *to, usize bytes) { __builtin_memset(to, 0, bytes); }
void bcopy(const void *from, void *to, usize bytes) { __builtin_memmove(to, from, bytes); }

void *mempcpy(void *to, const void *from, usize bytes)
{
    __builtin_memcpy(to, from, bytes);
    return (u8 *)to + bytes;
}

void *__memcpy_chk(void *to, const void *from, usize bytes, usize room)
{
    (void)room;
    return __builtin_memcpy(to, from, bytes);
}

void *__memmove_chk(void *to, const void *from, usize bytes, usize room)
{
    (void)room;
    return __builtin_memmove(to, from, bytes);
}

void *__memset_chk(void *to, int byte, usize bytes, usize room)
{
    (void)room;
    return __builtin_memset(to, byte, bytes);
}
