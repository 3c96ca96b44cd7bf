// irkiss: ; expect: race ; forms: nopass ; lazy: yes
//
// Functions at which a thread may be cancelled (POSIX: 2.9.5.2): what is done only afterwards races.
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

extern unsigned int __VERIFIER_nondet_uint(void);

static unsigned int way;
static int value[15];
static char bytes[8];
static struct iovec piece = { bytes, 8 };
static struct msghdr message;
static sem_t semaphore;
static struct timespec moment;
static sigset_t set;
static siginfo_t details;

static void *work(void *argument)
{
    switch (way) {
    case 0: pread(3, bytes, 8, 0); break;
    case 1: pwrite(3, bytes, 8, 0); break;
    case 2: readv(3, &piece, 1); break;
    case 3: writev(3, &piece, 1); break;
    case 4: recv(3, bytes, 8, 0); break;
    case 5: send(3, bytes, 8, 0); break;
    case 6: recvfrom(3, bytes, 8, 0, 0, 0); break;
    case 7: sendto(3, bytes, 8, 0, 0, 0); break;
    case 8: recvmsg(3, &message, 0); break;
    case 9: sendmsg(3, &message, 0); break;
    case 10: sem_timedwait(&semaphore, &moment); break;
    case 11: sem_clockwait(&semaphore, 0, &moment); break;
    case 12: waitid(P_ALL, 0, &details, 0); break;
    case 13: sigwaitinfo(&set, &details); break;
    case 14: sigtimedwait(&set, &details, &moment); break;
    }
    return argument;
}

static void *change(void *argument)
{
    switch (way) {
    case 0: value[0]++; break; // RACE
    case 1: value[1]++; break; // RACE
    case 2: value[2]++; break; // RACE
    case 3: value[3]++; break; // RACE
    case 4: value[4]++; break; // RACE
    case 5: value[5]++; break; // RACE
    case 6: value[6]++; break; // RACE
    case 7: value[7]++; break; // RACE
    case 8: value[8]++; break; // RACE
    case 9: value[9]++; break; // RACE
    case 10: value[10]++; break; // RACE
    case 11: value[11]++; break; // RACE
    case 12: value[12]++; break; // RACE
    case 13: value[13]++; break; // RACE
    case 14: value[14]++; break; // RACE
    }
    return argument;
}

int main(void)
{
    pthread_t a;
    void *result;

    sigfillset(&set);
    way = __VERIFIER_nondet_uint();
    pthread_create(&a, 0, work, 0);
    pthread_cancel(a);
    pthread_join(a, &result);
    if (result != PTHREAD_CANCELED)
        return 0;
    pthread_create(&a, 0, change, 0);
    change(0);
    pthread_join(a, 0);
    return 0;
}
