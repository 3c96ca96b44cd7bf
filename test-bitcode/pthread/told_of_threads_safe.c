// irkiss: ; expect: none ; forms: nopass ; lazy: yes
//
// What is asked of threads and of the machine is written where the caller says: one thread at a time has it told.
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
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *argument)
{
    pthread_mutex_lock(&lock);
    pthread_getaffinity_np(pthread_self(), sizeof set, &set);
    pthread_getcpuclockid(pthread_self(), &clock_);
    pthread_getschedparam(pthread_self(), &policy, &mine);
    pthread_getname_np(pthread_self(), name, sizeof name);
    pthread_getattr_np(pthread_self(), &attributes);
    sched_getparam(0, &parameters);
    sysinfo(&machine);
    times(&passed);
    getrlimit(RLIMIT_CORE, &limit);
    getloadavg(load, 3);
    getentropy(key0, sizeof key0);
    arc4random_buf(key1, sizeof key1);
    timer_gettime(0, &left);
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
