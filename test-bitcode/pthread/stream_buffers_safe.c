// irkiss: --work 400k ; expect: none ; forms: nopass ; lazy: yes
//
// As stream_buffers_racy.c, but the program leaves the buffers alone.
#include <pthread.h>
#include <stdio.h>

static FILE *one, *two, *three;
static char first[64], second[BUFSIZ], third[64];

static void *uses(void *unused)
{
    fputs("a", one);
    fputs("a", two);
    fputs("a", three);
    return unused;
}

int main(void)
{
    pthread_t a;

    one = tmpfile();
    two = tmpfile();
    three = tmpfile();
    if (!one || !two || !three)
        return 1;
    first[0] = 0;
    setvbuf(one, first, _IOFBF, sizeof first);
    setbuf(two, second);
    setbuffer(three, third, sizeof third);
    pthread_create(&a, 0, uses, 0);
    uses(0);
    pthread_join(a, 0);
    return 0;
}
