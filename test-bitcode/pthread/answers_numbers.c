// irkiss: --property assert ; expect: none
//
// Numbers are read, divided, turned round. It also runs natively (tests/oracle.rs).
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static void read_from_text(void)
{
    char *end;
    assert(strtol("-12x", &end, 10) == -12 && *end == 'x');
    assert(strtoul("12", NULL, 8) == 10);
    assert(strtoll("0x1f", NULL, 0) == 31);
    assert(strtoull("77", &end, 10) == 77 && *end == 0);
    assert(strtoimax("-5", NULL, 10) == -5);
    assert(strtoumax("5", NULL, 10) == 5);
    assert(atol("-3") == -3 && atoll("4") == 4);
}

static void divided(void)
{
    div_t q = div(-7, 2);
    ldiv_t l = ldiv(7, 2);
    assert(q.quot == -3 && q.rem == -1);
    assert(l.quot == 3 && l.rem == 1);
    assert(abs(-4) == 4 && labs(-4) == 4 && llabs(-5) == 5);
}

int main(void)
{
    read_from_text();
    divided();
    assert((ffs)(8) == 4 && (ffs)(0) == 0 && (ffsl)(1L << 40) == 41 && (ffsll)(2) == 2);
    assert((htonl)(0x01020304) == 0x04030201 && (ntohl)(0x04030201) == 0x01020304);
    assert((htons)(0x0102) == 0x0201 && (ntohs)(0x0201) == 0x0102);
    return 0;
}
