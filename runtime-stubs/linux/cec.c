/* HDMI CEC adapters (drivers/media/cec/core/cec-core.c). */
#include "irkiss_linux.h"

u64 __irkiss_sizeof__cec_adapter(void);
u64 __irkiss_offsetof__cec_adapter__ops(void);
u64 __irkiss_offsetof__cec_adapter__priv(void);

static void set(char *adapter, u64 at, const void *pointer)
{
    if (at != IRKISS_NO_OFFSET)
        *(const void **)(adapter + at) = pointer;
}

/* An adapter, or an error. */
void *cec_allocate_adapter(const void *ops, void *private, const char *, u32, u8)
{
    char *adapter;
    if (__irkiss_nondet_bool())
        return irkiss_error_pointer(ENOMEM);
    adapter = __irkiss_lazy(__irkiss_sizeof__cec_adapter(), "cec_adapter");
    set(adapter, __irkiss_offsetof__cec_adapter__ops(), ops);
    set(adapter, __irkiss_offsetof__cec_adapter__priv(), private);
    return adapter;
}
