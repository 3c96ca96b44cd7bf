/* Searches in bitmaps (lib/find_bit.c): any bit that there is, or the size. The words are read as one reads who has an atomic operation
 * of the kernel follow (find_first_zero_bit and test_and_set_bit): beside such operations they are meant to be, and beside a plain write
 * they race. The first and the last word stand for all. */
#include "irkiss_linux.h"

#define WORD (8 * sizeof(unsigned long))

static void look(const unsigned long *map, unsigned long size)
{
    if (!size)
        return;
    (void)*(const volatile unsigned long *)&map[0];
    if (size > WORD)
        (void)*(const volatile unsigned long *)&map[(size - 1) / WORD];
}

/* From `from` on, below `size`; `size` if there is none. */
static unsigned long found(unsigned long from, unsigned long size)
{
    unsigned long bit = sizeof(long) == 8 ? (unsigned long)__irkiss_nondet_u64() : __irkiss_nondet_u32();
    if (from >= size)
        return size;
    __irkiss_assume(from <= bit && bit <= size);
    return bit;
}

#define FIRST(name) \
    unsigned long name(const unsigned long *map, unsigned long size) \
    { \
        look(map, size); \
        return found(0, size); \
    }
FIRST(_find_first_bit)
FIRST(_find_first_zero_bit)
FIRST(_find_last_bit)

#define NEXT(name) \
    unsigned long name(const unsigned long *map, unsigned long size, unsigned long from) \
    { \
        look(map, size); \
        return found(from, size); \
    }
NEXT(_find_next_bit)
NEXT(_find_next_zero_bit)

unsigned long _find_first_and_bit(const unsigned long *a, const unsigned long *b, unsigned long size)
{
    look(a, size);
    look(b, size);
    return found(0, size);
}

unsigned long _find_next_and_bit(const unsigned long *a, const unsigned long *b, unsigned long size, unsigned long from)
{
    look(a, size);
    look(b, size);
    return found(from, size);
}
