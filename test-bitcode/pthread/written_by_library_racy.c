// irkiss: --work 400k ; expect: race ; forms: nopass ; lazy: yes
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

static char *rest0, *rest1, bytes[8], filled[8];
static __thread char mine[8];
static int sign0, sign1;
static fpos_t place;
static struct itimerspec timer, old, now;
static off_t offset0, offset1;
static struct sockaddr address0, address1, address2, address3, address4;
static socklen_t length0 = 16, length1 = 16, length2 = 16, length3 = 8, length4 = 16, length5 = 16;
static struct iovec piece = { filled, 8 };
static struct msghdr message;
static siginfo_t details;

static void *work(void *argument)
{
    strtod("1.5 kg", &rest0); // RACE
    strtof("1.5 kg", &rest1); // RACE
    lgamma_r(0.5, &sign0); // RACE
    lgammaf_r(0.5f, &sign1); // RACE
    fgetpos(stdin, &place); // RACE
    timerfd_settime(3, 0, &timer, &old); // RACE
    timerfd_gettime(3, &now); // RACE
    sendfile(3, 4, &offset0, 8); // RACE
    sendfile64(3, 4, &offset1, 8); // RACE
    accept(3, &address0, &length0); // RACE
    getsockname(3, &address1, &length1); // RACE
    getpeername(3, &address2, &length2); // RACE
    getsockopt(3, 1, 2, bytes, &length3); // RACE
    accept4(3, &address3, &length4, 0); // RACE
    recvfrom(3, mine, 8, 0, &address4, &length5); // RACE
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
