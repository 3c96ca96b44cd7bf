/* Searches in bitmaps (lib/find_bit.c). The words are read as one reads who has an atomic operation of the kernel follow
 * (find_first_zero_bit and test_and_set_bit): beside such operations they are meant to be, and beside a plain write they race. In one word
 * the bit is found that there is; of more words the first and the last stand for all, and any bit may be found. */
#include "irkiss_linux.h"

#define WORD (8 * sizeof(unsigned long))

/* The bits of one word from `from` on, below `size`. */
static unsigned long within(unsigned long bits, unsigned long from, unsigned long size)
{
    if (size < WORD)
        bits &= (1ul << size) - 1;
    return bits & ~0ul << from;
}

/* A bit that is set, if there is one: the first of them, or the last. */
static unsigned long of_word(unsigned long bits, unsigned long size, _Bool last)
{
    unsigned long bit = __irkiss_nondet_u32();
    if (!bits)
        return size;
    __irkiss_assume(bit < size && (bits >> bit & 1));
    __irkiss_assume(last ? !(bits >> bit >> 1) : !(bits & ((1ul << bit) - 1)));
    return bit;
}

static unsigned long word(const unsigned long *map, unsigned long n)
{
    return *(const volatile unsigned long *)&map[n];
}

static void look(const unsigned long *map, unsigned long size)
{
    (void)word(map, 0);
    (void)word(map, (size - 1) / WORD);
}

/* From `from` on, below `size`; `size` if there is none. */
static unsigned long found(unsigned long from, unsigned long size)
{
    unsigned long bit = sizeof(long) == 8 ? (unsigned long)__irkiss_nondet_u64() : __irkiss_nondet_u32();
    __irkiss_assume(from <= bit && bit <= size);
    return bit;
}

/* `flip`: all bits of a word whose bits are clear are searched. */
static unsigned long find(const unsigned long *map, unsigned long size, unsigned long from, unsigned long flip, _Bool last)
{
    if (from >= size)
        return size;
    if (size <= WORD)
        return of_word(within(word(map, 0) ^ flip, from, size), size, last);
    look(map, size);
    return found(from, size);
}

static unsigned long find_in_both(const unsigned long *a, const unsigned long *b, unsigned long size, unsigned long from)
{
    if (from >= size)
        return size;
    if (size <= WORD)
        return of_word(within(word(a, 0) & word(b, 0), from, size), size, 0);
    look(a, size);
    look(b, size);
    return found(from, size);
}

#define FIND(name, flip, last) \
    IRKISS_ASSUMES("part-of-whole") \
    unsigned long name(const unsigned long *map, unsigned long size) \
    { \
        return find(map, size, 0, flip, last); \
    }
FIND(_find_first_bit, 0, 0)
FIND(_find_first_zero_bit, ~0ul, 0)
FIND(_find_last_bit, 0, 1)

#define FIND_NEXT(name, flip) \
    IRKISS_ASSUMES("part-of-whole") \
    unsigned long name(const unsigned long *map, unsigned long size, unsigned long from) \
    { \
        return find(map, size, from, flip, 0); \
    }
FIND_NEXT(_find_next_bit, 0)
FIND_NEXT(_find_next_zero_bit, ~0ul)

IRKISS_ASSUMES("part-of-whole")
unsigned long _find_first_and_bit(const unsigned long *a, const unsigned long *b, unsigned long size)
{
    return find_in_both(a, b, size, 0);
}

IRKISS_ASSUMES("part-of-whole")
unsigned long _find_next_and_bit(const unsigned long *a, const unsigned long *b, unsigned long size, unsigned long from)
{
    return find_in_both(a, b, size, from);
}
