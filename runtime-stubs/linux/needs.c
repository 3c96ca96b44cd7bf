/* What the kernel looks at before it calls an entry point (src/frontend/harness/needs.rs), and what its own code reads and writes in
 * objects that drivers look at, too: that is no race of the driver's (src/frontend/close/silenced.rs: CORE).
 */
#include "irkiss_linux.h"

u32 __irkiss_core_reads(const void *word)
{
    return *(const u32 *)word;
}

void __irkiss_core_writes(void *word, u32 value)
{
    *(u32 *)word = value;
}

void __irkiss_core_fills(void *data, u64 bytes)
{
    __irkiss_havoc(data, bytes);
}

/* One of the bits is set in the word. */
void __irkiss_needs(const void *word, u32 bits)
{
    __irkiss_assume((__irkiss_core_reads(word) & bits) != 0);
}

/* The number is below a count, or 0 where that is 0. */
void __irkiss_needs_below(const void *word, const void *count)
{
    u32 number = __irkiss_core_reads(word);
    __irkiss_assume(number == 0 || number < *(const u16 *)count);
}
