// irkiss: ; expect: race ; forms: nopass ; lazy: yes
//
// Texts that functions of the C library leave in buffers of all threads (glibc: MT-Unsafe); races at one place of the models are told once.
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <netinet/ether.h>

extern char *crypt(const char *, const char *), *cuserid(char *), *re_comp(const char *), *setlocale(int, const char *), *nl_langinfo(int);
extern int re_exec(const char *);
extern void *localeconv(void);

static struct ether_addr address;
static __thread int point, sign;

static void *work(void *argument)
{
    crypt("key", "ab"); // RACE?
    ecvt(0.5, 3, &point, &sign); // RACE?
    fcvt(0.5, 3, &point, &sign); // RACE?
    l64a(7); // RACE?
    ptsname(3); // RACE
    tmpnam(0); // RACE?
    cuserid(0); // RACE
    getpass("?"); // RACE?
    ether_ntoa(&address); // RACE?
    getusershell(); // RACE?
    setusershell(); // RACE?
    endusershell(); // RACE?
    re_comp("a"); // RACE
    re_exec("a"); // RACE
    setlocale(0, "C"); // RACE
    localeconv(); // RACE
    nl_langinfo(14); // RACE
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
