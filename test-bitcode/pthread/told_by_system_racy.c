// irkiss: ; expect: race ; forms: nopass, o0 ; lazy: yes
//
// What the system tells is written where the caller says.
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

static void *work(void *argument)
{
    getcwd(folder, sizeof folder); // RACE
    readlink("/a", target, sizeof target); // RACE
    realpath("/a", real); // RACE
    fstat(0, &file); // RACE
    mkstemp(made); // RACE
    gethostname(host, sizeof host); // RACE
    uname(&machine); // RACE
    getrusage(RUSAGE_SELF, &usage); // RACE
    getrandom(key, sizeof key, 0); // RACE
    sched_getaffinity(0, sizeof processors, &processors); // RACE
    getitimer(ITIMER_REAL, &timer); // RACE
    strptime("7", "%d", &date); // RACE
    random_r(&generator, &number); // RACE
    mbstowcs(wide, "a", 8); // RACE
    wcscpy(copy, L"a"); // RACE
    swab("abcd", swapped, 4); // RACE
    regcomp(&pattern, "a", 0); // RACE
    glob("*", 0, 0, &names); // RACE
    preadv(0, &piece, 1, 0); // RACE
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
