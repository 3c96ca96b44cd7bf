// irkiss: ; expect: race ; forms: nopass ; lazy: yes
//
// What functions of the C library write through pointers that they are given.
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

static char *rest[2], bytes[8], filled[8];
static __thread char mine[8];
static int sign[2];
static fpos_t place;
static struct itimerspec timer, old, now;
static off_t offset[2];
static struct sockaddr address[5];
static socklen_t length[6] = { 16, 16, 16, 8, 16, 16 };
static struct iovec piece = { filled, 8 };
static struct msghdr message;
static siginfo_t details;

static void *work(void *argument)
{
    strtod("1.5 kg", &rest[0]); // RACE?
    strtof("1.5 kg", &rest[1]); // RACE?
    lgamma_r(0.5, &sign[0]); // RACE?
    lgammaf_r(0.5f, &sign[1]); // RACE?
    fgetpos(stdin, &place); // RACE
    timerfd_settime(3, 0, &timer, &old); // RACE
    timerfd_gettime(3, &now); // RACE
    sendfile(3, 4, &offset[0], 8); // RACE?
    sendfile64(3, 4, &offset[1], 8); // RACE
    accept(3, &address[0], &length[0]); // RACE?
    getsockname(3, &address[1], &length[1]); // RACE?
    getpeername(3, &address[2], &length[2]); // RACE?
    getsockopt(3, 1, 2, bytes, &length[3]); // RACE?
    accept4(3, &address[3], &length[4], 0); // RACE?
    recvfrom(3, mine, 8, 0, &address[4], &length[5]); // RACE?
    readv(3, &piece, 1); // RACE?
    recvmsg(3, &message, 0); // RACE
    waitid(P_ALL, 0, &details, 0); // RACE
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
