// irkiss: ; expect: race ; forms: nopass ; lazy: yes
//
// What attributes are asked for is written where the caller says.
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>

static pthread_attr_t thread;
static pthread_mutexattr_t mutex;
static pthread_condattr_t condition;
static pthread_rwlockattr_t rwlock;
static pthread_barrierattr_t barrier;
static pthread_mutex_t high;
static int told0, told1, told2, told3, told4, told5, told6, told7, told8, told9, told10, told11, told12, told13, told14;
static size_t size0, size1;
static cpu_set_t set;

static void *work(void *argument)
{
    pthread_attr_getdetachstate(&thread, &told0); // RACE
    pthread_attr_getinheritsched(&thread, &told1); // RACE
    pthread_attr_getschedparam(&thread, (struct sched_param *)&told2); // RACE
    pthread_attr_getschedpolicy(&thread, &told3); // RACE
    pthread_attr_getscope(&thread, &told4); // RACE
    pthread_barrierattr_getpshared(&barrier, &told5); // RACE
    pthread_condattr_getclock(&condition, &told6); // RACE
    pthread_condattr_getpshared(&condition, &told7); // RACE
    pthread_mutexattr_getprioceiling(&mutex, &told8); // RACE
    pthread_mutexattr_getprotocol(&mutex, &told9); // RACE
    pthread_mutexattr_getpshared(&mutex, &told10); // RACE
    pthread_mutexattr_getrobust(&mutex, &told11); // RACE
    pthread_rwlockattr_getkind_np(&rwlock, &told12); // RACE
    pthread_rwlockattr_getpshared(&rwlock, &told13); // RACE
    pthread_mutex_getprioceiling(&high, &told14); // RACE
    pthread_attr_getstacksize(&thread, &size0); // RACE
    pthread_attr_getguardsize(&thread, &size1); // RACE
    pthread_attr_getaffinity_np(&thread, sizeof set, &set); // RACE
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
