/* Messages: nothing; those that answer are in declared.toml. What their formats read is read before the call
 * (src/frontend/close/kernel_prints.rs). */
#include "irkiss_linux.h"

#define SILENT_DEVICE(name) \
    void name(const void *, const char *, ...) \
    { \
    }
SILENT_DEVICE(_dev_emerg)
SILENT_DEVICE(_dev_alert)
SILENT_DEVICE(_dev_crit)
SILENT_DEVICE(_dev_err)
SILENT_DEVICE(_dev_warn)
SILENT_DEVICE(_dev_notice)
SILENT_DEVICE(_dev_info)

void _dev_printk(const char *, const void *, const char *, ...)
{
}

void __dynamic_pr_debug(void *, const char *, ...)
{
}

void __dynamic_dev_dbg(void *, const void *, const char *, ...)
{
}

/* WARN: prints and goes on. */
void __warn_printk(const char *, ...)
{
}

/* lib/refcount.c: a count that was added to at 0, or taken below, stays where nobody gets it back to 0 (REFCOUNT_SATURATED). */
void refcount_warn_saturate(void *count, int)
{
    IRKISS_ATOMIC(*(volatile int *)count = IRKISS_REFCOUNT_SATURATED);
}

void dump_stack(void)
{
}

int ___ratelimit(void *, const char *)
{
    return __irkiss_nondet_bool();
}

__attribute__((noreturn)) void panic(const char *, ...)
{
    __irkiss_bug("panic");
}

/* ---- Into a buffer of the caller: arbitrary as far as it goes, with 0 in its last byte at the latest. (That 0 stands at the
 * length told is not kept: a write at a place that is not known makes all that is known of the object around it worthless.) ---- */
static void fill(char *buffer, usize size)
{
    __irkiss_havoc(buffer, size);
    buffer[size - 1] = 0;
}

int snprintf(char *buffer, usize size, const char *, ...)
{
    u32 length = __irkiss_nondet_u32();
    __irkiss_assume(length < 0x7fffffff);
    if (size)
        fill(buffer, size);
    return (int)length;
}

int scnprintf(char *buffer, usize size, const char *, ...)
{
    u32 length = __irkiss_nondet_u32();
    if (!size)
        return 0;
    __irkiss_assume(length < size);
    fill(buffer, size);
    return (int)length;
}

/* A page of sysfs: one write of unknown length at its start. */
int sysfs_emit(char *buffer, const char *, ...)
{
    u32 length = __irkiss_nondet_u32();
    __irkiss_assume(length < 4096);
    __irkiss_havoc(buffer, 1);
    return (int)length;
}

int sprintf(char *buffer, const char *, ...)
{
    u32 length = __irkiss_nondet_u32();
    __irkiss_assume(length < 4096);
    __irkiss_havoc(buffer, 1);
    return (int)length;
}

/* ---- Into a seq_file: the file is the caller's own. ---- */
void seq_printf(void *, const char *, ...)
{
}

void seq_puts(void *, const char *)
{
}

void seq_putc(void *, char)
{
}

IRKISS_ASSUMES("output-fits")
int seq_write(void *, const void *data, usize n)
{
    __irkiss_touch(data, n);
    return 0;
}
