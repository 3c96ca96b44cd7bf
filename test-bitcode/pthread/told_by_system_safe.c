// irkiss: ; expect: none ; forms: nopass, o0 ; lazy: yes
//
// What the system tells is written where the caller says: one thread at a time has it told.
#define _GNU_SOURCE
#include <glob.h>
#include <pthread.h>
#include <regex.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>

static char folder[16];
static char target[16];
static char real[4096];
static struct stat file;
static char made[] = "/tmp/XXXXXX";
static char host[16];
static struct utsname machine;
static struct rusage usage;
static char key[16];
static cpu_set_t processors;
static struct itimerval timer;
static struct tm date;
static struct random_data generator;
static __thread int number;
static wchar_t wide[8];
static wchar_t copy[8];
static char swapped[4];
static regex_t pattern;
static glob_t names;
static char bytes[8];
static struct iovec piece = { bytes, 8 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *argument)
{
    pthread_mutex_lock(&lock);
    getcwd(folder, sizeof folder);
    readlink("/a", target, sizeof target);
    realpath("/a", real);
    fstat(0, &file);
    mkstemp(made);
    gethostname(host, sizeof host);
    uname(&machine);
    getrusage(RUSAGE_SELF, &usage);
    getrandom(key, sizeof key, 0);
    sched_getaffinity(0, sizeof processors, &processors);
    getitimer(ITIMER_REAL, &timer);
    strptime("7", "%d", &date);
    random_r(&generator, &number);
    mbstowcs(wide, "a", 8);
    wcscpy(copy, L"a");
    swab("abcd", swapped, 4);
    regcomp(&pattern, "a", 0);
    glob("*", 0, 0, &names);
    preadv(0, &piece, 1, 0);
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
