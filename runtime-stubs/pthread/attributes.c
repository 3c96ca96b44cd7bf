/* What attributes of threads, locks and the like are asked for: arbitrary numbers, since what is set is not followed (thread.c and others). */
#include "irkiss_pthread.h"

static int told(int *place)
{
    *place = (int)(__irkiss_nondet_u8() & 127);
    return 0;
}

int pthread_attr_getdetachstate(const void *attributes, int *place) { (void)attributes; return told(place); }
int pthread_attr_getinheritsched(const void *attributes, int *place) { (void)attributes; return told(place); }
int pthread_attr_getschedparam(const void *attributes, int *place) { (void)attributes; return told(place); }
int pthread_attr_getschedpolicy(const void *attributes, int *place) { (void)attributes; return told(place); }
int pthread_attr_getscope(const void *attributes, int *place) { (void)attributes; return told(place); }
int pthread_barrierattr_getpshared(const void *attributes, int *place) { (void)attributes; return told(place); }
int pthread_condattr_getclock(const void *attributes, int *place) { (void)attributes; return told(place); }
int pthread_condattr_getpshared(const void *attributes, int *place) { (void)attributes; return told(place); }
int pthread_mutexattr_getprioceiling(const void *attributes, int *place) { (void)attributes; return told(place); }
int pthread_mutexattr_getprotocol(const void *attributes, int *place) { (void)attributes; return told(place); }
int pthread_mutexattr_getpshared(const void *attributes, int *place) { (void)attributes; return told(place); }
int pthread_mutexattr_getrobust(const void *attributes, int *place) { (void)attributes; return told(place); }
int pthread_rwlockattr_getkind_np(const void *attributes, int *place) { (void)attributes; return told(place); }
int pthread_rwlockattr_getpshared(const void *attributes, int *place) { (void)attributes; return told(place); }
int pthread_mutex_getprioceiling(const void *mutex, int *place) { (void)mutex; return told(place); }

static int told_size(usize *place)
{
    *place = (usize)__irkiss_nondet_u32();
    return 0;
}

int pthread_attr_getstacksize(const void *attributes, usize *place) { (void)attributes; return told_size(place); }
int pthread_attr_getguardsize(const void *attributes, usize *place) { (void)attributes; return told_size(place); }

int pthread_attr_getaffinity_np(const void *attributes, usize bytes, void *place)
{
    (void)attributes;
    __irkiss_havoc(place, bytes);
    return 0;
}
