// irkiss: --work 400k ; expect: none ; forms: nopass ; lazy: yes
//
// What dprintf prints as the compiler checks it, and as its values are handed on, is what is read at the end of the pipe: what came before it is over.
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

int __dprintf_chk(int file, int flag, const char *format, ...);

static int value, other, ends[2], others[2];

static void print(const char *format, ...)
{
    va_list rest;

    va_start(rest, format);
    vdprintf(others[1], format, rest);
    va_end(rest);
}

static void *tells(void *unused)
{
    value = 1;
    __dprintf_chk(ends[1], 1, "%d", 7);
    other = 1;
    print("%d", 7);
    return unused;
}

int main(void)
{
    char bytes[8];
    pthread_t a;

    if (pipe(ends) != 0 || pipe(others) != 0)
        return 1;
    pthread_create(&a, 0, tells, 0);
    if (read(ends[0], bytes, sizeof bytes) > 0)
        value = 2;
    if (read(others[0], bytes, sizeof bytes) > 0)
        other = 2;
    pthread_join(a, 0);
    return 0;
}
