// irkiss: ; expect: race ; forms: nopass ; lazy: yes
//
// A buffer that a stream was given (setvbuf) is written by whoever uses the stream, under its lock; the program's own accesses are not.
#include <pthread.h>
#include <stdio.h>

static FILE *one, *two, *three;
static char first[64], second[BUFSIZ], third[64];

static void *uses(void *unused)
{
    fputs("a", one);   // RACE
    fputs("a", two);   // RACE
    fputs("a", three); // RACE
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
    setvbuf(one, first, _IOFBF, sizeof first);
    setbuf(two, second);
    setbuffer(three, third, sizeof third);
    pthread_create(&a, 0, uses, 0);
    first[0] = 0;  // RACE
    second[0] = 0; // RACE
    third[0] = 0;  // RACE
    pthread_join(a, 0);
    return 0;
}
