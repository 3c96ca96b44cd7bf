/* What functions without a model may do with numbers that they are given the address of (src/frontend/close/buffers.rs). */
#include "irkiss_linux.h"

void __irkiss_outside_reads(const void *address, u64 size)
{
    if (address)
        __irkiss_touch(address, size);
}

void __irkiss_outside_writes(void *address, u64 size)
{
    if (address)
        __irkiss_havoc(address, size);
}
