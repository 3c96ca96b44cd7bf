// irkiss: ; expect: none ; forms: nopass ; lazy: yes
//
// One thread at a time calls them.
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>
#include <math.h>
#include <search.h>

extern size_t mbrlen(const char *, size_t, void *), mbrtowc(void *, const char *, size_t, void *), wcrtomb(char *, unsigned, void *);

static __thread unsigned short own[3], parameters[7];

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *argument)
{
    pthread_mutex_lock(&lock);
    seed48(own);
    lcong48(parameters);
    erand48(own);
    nrand48(own);
    jrand48(own);
    mblen("a", 1);
    mbtowc(0, "a", 1);
    wctomb(0, 97);
    mbrlen("a", 1, 0);
    mbrtowc(0, "a", 1, 0);
    wcrtomb(0, 97, 0);
    lgamma(0.5);
    lgammaf(0.5f);
    gamma(0.5);
    hcreate(3);
    hsearch((ENTRY){ "a", 0 }, ENTER);
    hdestroy();
    pthread_mutex_unlock(&lock);
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
