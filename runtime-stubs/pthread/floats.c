/* Floating-point numbers: what IEEE 754 says exactly is computed; numbers in texts are arbitrary, but not where they end. */
#include "irkiss_pthread.h"

enum { EDOM = 33 };

double sqrt(double x)
{
    if (x < 0)
        irkiss_set_errno(EDOM);
    return __builtin_elementwise_sqrt(x);
}

float sqrtf(float x)
{
    if (x < 0)
        irkiss_set_errno(EDOM);
    return __builtin_elementwise_sqrt(x);
}

/* Of what is no number the difference is none, either. */
double fdim(double x, double y) { return x <= y ? 0 : x - y; }
float fdimf(float x, float y) { return x <= y ? 0 : x - y; }

/* To the nearest integer: away from zero, or to the even one, where two are as near. */
long lround(double x) { return (long)__builtin_elementwise_round(x); }
long lroundf(float x) { return (long)__builtin_elementwise_round(x); }
long long llround(double x) { return (long long)__builtin_elementwise_round(x); }
long long llroundf(float x) { return (long long)__builtin_elementwise_round(x); }
long lrint(double x) { return (long)__builtin_elementwise_roundeven(x); }
long lrintf(float x) { return (long)__builtin_elementwise_roundeven(x); }
long long llrint(double x) { return (long long)__builtin_elementwise_roundeven(x); }
long long llrintf(float x) { return (long long)__builtin_elementwise_roundeven(x); }

/* ---- Numbers in texts. ---- */
static double any(void)
{
    union {
        u64 bits;
        double number;
    } value = { .bits = __irkiss_nondet_u64() };
    return value.number;
}

/* It ends somewhere in the text, after its first byte or not, and no more of the text is read. */
static void read_number(const char *text, char **end)
{
    usize length = __irkiss_nondet_u8(), n = 0;
    IRKISS_FOLLOWED
    while (text[n] && n < length)
        n++;
    if (end)
        *end = (char *)text + n;
}

IRKISS_ANY_ANSWER
double strtod(const char *text, char **end)
{
    read_number(text, end);
    return any();
}

IRKISS_ANY_ANSWER
float strtof(const char *text, char **end)
{
    read_number(text, end);
    return (float)any();
}

IRKISS_ANY_ANSWER
double atof(const char *text)
{
    read_number(text, NULL);
    return any();
}

/* ---- The sign of the gamma function is a variable of all threads (glibc: MT-Unsafe race:signgam). ---- */
IRKISS_HIDDEN int signgam;

IRKISS_ANY_ANSWER
double lgamma_r(double x, int *sign)
{
    (void)x;
    *sign = __irkiss_nondet_bool() ? 1 : -1;
    return any();
}

IRKISS_ANY_ANSWER
double lgamma(double x) { return lgamma_r(x, &signgam); }
IRKISS_ANY_ANSWER
double gamma(double x) { return lgamma_r(x, &signgam); }
IRKISS_ANY_ANSWER
float lgammaf_r(float x, int *sign) { return (float)lgamma_r(x, sign); }
IRKISS_ANY_ANSWER
float lgammaf(float x) { return (float)lgamma_r(x, &signgam); }
