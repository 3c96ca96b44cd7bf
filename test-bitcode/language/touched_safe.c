// irkiss: --ts 1 ; expect: unknown ; reason: outside of its object ; lazy: yes
//
// Bytes that a callee reads end the thread where there are none: behind null, or beyond the end. Behind that the pointer is good.
#include <irkiss.h>
#include <stddef.h>

void __irkiss_touch(const void *, unsigned long);

char buffer[8];
int x;

static void worker(void *argument)
{
    (void)argument;
    x = 1;
}

int main(void)
{
    char *bytes = irkiss_nondet_bool() ? buffer : NULL;
    unsigned long length = __irkiss_nondet_u8();

    irkiss_async(worker, 0);
    __irkiss_touch(bytes, length);
    if (length > 0 && (!bytes || length > sizeof(buffer)))
        x = 2;
    return 0;
}
