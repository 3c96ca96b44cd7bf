/* Output has no effect on the program: only its result is arbitrary (it may fail). Of a string that is printed whole, the
 * first byte is read (a terminator at least is there); arguments of a format are not followed. */
#include "irkiss_internal.h"

#define ANY ((int)__irkiss_nondet_u32())

int printf(const char *format, ...) { (void)format; return ANY; }
int fprintf(void *file, const char *format, ...) { (void)file, (void)format; return ANY; }
int dprintf(int file, const char *format, ...) { (void)file, (void)format; return ANY; }
int vprintf(const char *format, __builtin_va_list rest) { (void)format, (void)rest; return ANY; }
int vfprintf(void *file, const char *format, __builtin_va_list rest) { (void)file, (void)format, (void)rest; return ANY; }
int __printf_chk(int flag, const char *format, ...) { (void)flag, (void)format; return ANY; }
int __fprintf_chk(void *file, int flag, const char *format, ...) { (void)file, (void)flag, (void)format; return ANY; }
void perror(const char *prefix) { (void)prefix; }
int fflush(void *file) { (void)file; return ANY; }
int putchar(int c) { (void)c; return ANY; }
int putc(int c, void *file) { (void)c, (void)file; return ANY; }
int fputc(int c, void *file) { (void)c, (void)file; return ANY; }

int puts(const char *s)
{
    __irkiss_touch(s, 1);
    return ANY;
}

int fputs(const char *s, void *file)
{
    (void)file;
    __irkiss_touch(s, 1);
    return ANY;
}

usize fwrite(const void *items, usize size, usize count, void *file)
{
    (void)file;
    __irkiss_touch(items, size * count);
    return (usize)__irkiss_nondet_u64();
}

ssize write(int file, const void *bytes, usize count)
{
    (void)file;
    __irkiss_touch(bytes, count);
    return (ssize)__irkiss_nondet_u64();
}

/* Input: arbitrary; -1 at its end. */
static int character(void) { return __irkiss_nondet_bool() ? -1 : (int)__irkiss_nondet_u8(); }
int getchar(void) { return character(); }
int getc(void *file) { (void)file; return character(); }
int fgetc(void *file) { (void)file; return character(); }

ssize read(int file, void *bytes, usize count)
{
    (void)file;
    __irkiss_havoc(bytes, count);
    return (ssize)__irkiss_nondet_u64();
}
