/* What the kernel looks at before it calls an entry point (src/frontend/harness/needs.rs). Marked: it is no race of the driver's. */
#include "irkiss_linux.h"

/* One of the bits is set in the word. */
void __irkiss_needs(const void *word, u32 bits)
{
    __irkiss_assume((*(const volatile u32 *)word & bits) != 0);
}

/* The number is below a count, or 0 where that is 0. */
void __irkiss_needs_below(const void *word, const void *count)
{
    u32 number = *(const volatile u32 *)word;
    __irkiss_assume(number == 0 || number < *(const volatile u16 *)count);
}
