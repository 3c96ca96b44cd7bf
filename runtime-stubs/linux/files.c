/* Library functions of the virtual file system that drivers use as or in their file operations. */
#include "irkiss_linux.h"

u64 __irkiss_offsetof__inode__i_private(void);
u64 __irkiss_offsetof__file__private_data(void);

/* fs/libfs.c: the file gets what its inode was made with, if anything. */
int simple_open(const void *inode, void *file)
{
    u64 from = __irkiss_offsetof__inode__i_private(), to = __irkiss_offsetof__file__private_data();
    void *data;
    if (from == ~0ull || to == ~0ull)
        return 0;
    data = irkiss_field(inode, from);
    if (data)
        *(void *volatile *)((char *)file + to) = data;
    return 0;
}

/* f_mode is changed before anybody else has the file (fs/open.c). */
int stream_open(void *, void *)
{
    return 0;
}

int nonseekable_open(void *, void *)
{
    return 0;
}

/* New positions are written to file->f_pos under no lock that a driver sees; the field's place varies, so it is not written. */
s64 generic_file_llseek_size(void *, s64, int, s64, s64)
{
    s64 position = (s64)__irkiss_nondet_u64();
    return position < 0 ? -EINVAL : position;
}

s64 noop_llseek(void *, s64, int)
{
    return (s64)(__irkiss_nondet_u64() >> 1);
}

s64 no_llseek(void *, s64, int)
{
    return -29; /* ESPIPE */
}

s64 default_llseek(void *file, s64 offset, int whence)
{
    return generic_file_llseek_size(file, offset, whence, 0, 0);
}

s64 fixed_size_llseek(void *file, s64 offset, int whence, s64 size)
{
    return generic_file_llseek_size(file, offset, whence, size, size);
}

/* The kernel's memory is read; what is read goes to user space. *ppos is the caller's. */
ssize simple_read_from_buffer(void *, usize count, s64 *ppos, const void *from, usize available)
{
    s64 position = *ppos;
    usize left;
    if (position < 0)
        return -EINVAL;
    if ((u64)position >= available || !count)
        return 0;
    left = available - (usize)position;
    if (count > left)
        count = left;
    if (__irkiss_nondet_bool())
        return -EFAULT;
    __irkiss_touch((const char *)from + position, count);
    *ppos = position + (s64)count;
    return (ssize)count;
}

ssize simple_write_to_buffer(void *to, usize available, s64 *ppos, const void *, usize count)
{
    s64 position = *ppos;
    usize left;
    if (position < 0)
        return -EINVAL;
    if ((u64)position >= available || !count)
        return 0;
    left = available - (usize)position;
    if (count > left)
        count = left;
    if (__irkiss_nondet_bool())
        return -EFAULT;
    __irkiss_havoc((char *)to + position, count);
    *ppos = position + (s64)count;
    return (ssize)count;
}

/* ---- The CMOS clock's registers (nvram, rtc): hardware. ---- */
u8 rtc_cmos_read(u8)
{
    return __irkiss_nondet_u8();
}

void rtc_cmos_write(u8, u8)
{
}
