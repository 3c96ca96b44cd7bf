// irkiss: --work 400k ; expect: none ; forms: nopass ; lazy: yes
//
// One thread at a time has them written.
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <math.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/sendfile.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <sys/mman.h>

static char *rest[2], bytes[8];
static __thread char mine[8];
static int sign[2];
static fpos_t place;
static struct itimerspec timer, old, now;
static off_t offset[2];
static struct sockaddr address[5];
static socklen_t length[6] = { 16, 16, 16, 8, 16, 16 };
static siginfo_t details;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *argument)
{
    pthread_mutex_lock(&lock);
    strtod("1.5 kg", &rest[0]);
    strtof("1.5 kg", &rest[1]);
    lgamma_r(0.5, &sign[0]);
    lgammaf_r(0.5f, &sign[1]);
    fgetpos(stdin, &place);
    timerfd_settime(3, 0, &timer, &old);
    timerfd_gettime(3, &now);
    sendfile(3, 4, &offset[0], 8);
    sendfile64(3, 4, &offset[1], 8);
    accept(3, &address[0], &length[0]);
    getsockname(3, &address[1], &length[1]);
    getpeername(3, &address[2], &length[2]);
    getsockopt(3, 1, 2, bytes, &length[3]);
    accept4(3, &address[3], &length[4], 0);
    recvfrom(3, mine, 8, 0, &address[4], &length[5]);
    waitid(P_ALL, 0, &details, 0);
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
