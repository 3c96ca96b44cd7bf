// irkiss: ; expect: race ; forms: nopass ; lazy: yes
//
// What is asked of threads and of the machine is written where the caller says.
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/sysinfo.h>
#include <sys/times.h>
#include <time.h>

static cpu_set_t set;
static clockid_t clock_;
static int policy;
static __thread struct sched_param mine;
static char name[16];
static pthread_attr_t attributes;
static struct sched_param parameters;
static struct sysinfo machine;
static struct tms passed;
static struct rlimit limit;
static double load[3];
static char key0[8], key1[8];
static struct itimerspec left;

static void *work(void *argument)
{
    pthread_getaffinity_np(pthread_self(), sizeof set, &set); // RACE
    pthread_getcpuclockid(pthread_self(), &clock_); // RACE
    pthread_getschedparam(pthread_self(), &policy, &mine); // RACE
    pthread_getname_np(pthread_self(), name, sizeof name); // RACE
    pthread_getattr_np(pthread_self(), &attributes); // RACE
    sched_getparam(0, &parameters); // RACE
    sysinfo(&machine); // RACE
    times(&passed); // RACE
    getrlimit(RLIMIT_CORE, &limit); // RACE
    getloadavg(load, 3); // RACE
    getentropy(key0, sizeof key0); // RACE
    arc4random_buf(key1, sizeof key1); // RACE
    timer_gettime(0, &left); // RACE
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
