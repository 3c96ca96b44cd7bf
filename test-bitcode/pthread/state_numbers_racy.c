// irkiss: ; expect: race ; forms: nopass ; lazy: yes
//
// What functions of the C library remember from one call to the next (glibc: MT-Unsafe); races at one place of the models are told once.
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>
#include <math.h>
#include <search.h>

extern size_t mbrlen(const char *, size_t, void *), mbrtowc(void *, const char *, size_t, void *), wcrtomb(char *, unsigned, void *);

static __thread unsigned short own[3], parameters[7];

static void *work(void *argument)
{
    seed48(own); // RACE
    lcong48(parameters); // RACE
    erand48(own); // RACE?
    nrand48(own); // RACE?
    jrand48(own); // RACE?
    mblen("a", 1); // RACE?
    mbtowc(0, "a", 1); // RACE
    wctomb(0, 97); // RACE?
    mbrlen("a", 1, 0); // RACE?
    mbrtowc(0, "a", 1, 0); // RACE?
    wcrtomb(0, 97, 0); // RACE?
    lgamma(0.5); // RACE
    lgammaf(0.5f); // RACE?
    gamma(0.5); // RACE?
    hcreate(3); // RACE
    hsearch((ENTRY){ "a", 0 }, ENTER); // RACE?
    hdestroy(); // RACE?
    return argument;
}

int main(void)
{
    pthread_t a, b;

    pthread_create(&a, 0, work, 0);
    pthread_create(&b, 0, work, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
