// irkiss: ; expect: none ; forms: nopass ; lazy: yes
//
// A thread that may not be cancelled is not, wherever it is.
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
static int value[12];
static struct sockaddr address;

static void *work(void *argument)
{
    int old;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old);
    switch (way) {
    case 0: open("a", 0); break;
    case 1: open64("a", 0); break;
    case 2: openat(3, "a", 0); break;
    case 3: creat("a", 0); break;
    case 4: close(3); break;
    case 5: connect(3, &address, sizeof address); break;
    case 6: fsync(3); break;
    case 7: fdatasync(3); break;
    case 8: lockf(3, F_LOCK, 0); break;
    case 9: tcdrain(3); break;
    case 10: msync(0, 1, 0); break;
    case 11: system("a"); break;
    }
    return argument;
}

static void *change(void *argument)
{
    switch (way) {
    case 0: value[0]++; break;
    case 1: value[1]++; break;
    case 2: value[2]++; break;
    case 3: value[3]++; break;
    case 4: value[4]++; break;
    case 5: value[5]++; break;
    case 6: value[6]++; break;
    case 7: value[7]++; break;
    case 8: value[8]++; break;
    case 9: value[9]++; break;
    case 10: value[10]++; break;
    case 11: value[11]++; break;
    }
    return argument;
}

int main(void)
{
    pthread_t a;
    void *result;

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
