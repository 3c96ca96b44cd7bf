// irkiss: ; expect: none ; forms: nopass ; lazy: yes
//
// One thread at a time asks for them.
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

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *argument)
{
    pthread_mutex_lock(&lock);
    crypt("key", "ab");
    ecvt(0.5, 3, &point, &sign);
    fcvt(0.5, 3, &point, &sign);
    l64a(7);
    ptsname(3);
    tmpnam(0);
    cuserid(0);
    getpass("?");
    ether_ntoa(&address);
    getusershell();
    setusershell();
    endusershell();
    re_comp("a");
    re_exec("a");
    setlocale(0, "C");
    localeconv();
    nl_langinfo(14);
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
