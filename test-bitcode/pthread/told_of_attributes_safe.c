// irkiss: ; expect: none ; forms: nopass ; lazy: yes
//
// What attributes are asked for is written where the caller says: one thread at a time has it told.
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
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *argument)
{
    pthread_mutex_lock(&lock);
    pthread_attr_getdetachstate(&thread, &told0);
    pthread_attr_getinheritsched(&thread, &told1);
    pthread_attr_getschedparam(&thread, (struct sched_param *)&told2);
    pthread_attr_getschedpolicy(&thread, &told3);
    pthread_attr_getscope(&thread, &told4);
    pthread_barrierattr_getpshared(&barrier, &told5);
    pthread_condattr_getclock(&condition, &told6);
    pthread_condattr_getpshared(&condition, &told7);
    pthread_mutexattr_getprioceiling(&mutex, &told8);
    pthread_mutexattr_getprotocol(&mutex, &told9);
    pthread_mutexattr_getpshared(&mutex, &told10);
    pthread_mutexattr_getrobust(&mutex, &told11);
    pthread_rwlockattr_getkind_np(&rwlock, &told12);
    pthread_rwlockattr_getpshared(&rwlock, &told13);
    pthread_mutex_getprioceiling(&high, &told14);
    pthread_attr_getstacksize(&thread, &size0);
    pthread_attr_getguardsize(&thread, &size1);
    pthread_attr_getaffinity_np(&thread, sizeof set, &set);
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
