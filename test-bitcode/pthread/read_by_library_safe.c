// irkiss: ; expect: none ; forms: nopass ; lazy: yes
//
// As read_by_library_racy.c: what is read has been written before.
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>

extern int open64(const char *, int, ...);

static char text[9][4], bytes[8], more[8];
static struct sockaddr address[3];
static struct iovec piece = { bytes, 8 }, other = { more, 8 };
static struct msghdr message = { .msg_iov = &other, .msg_iovlen = 1 };
static struct dirent **entries;
static fpos_t place;

static void *work(void *argument)
{
    atof(text[0]);
    open(text[1], 0);
    open64(text[2], 0);
    openat(3, text[3], 0);
    creat(text[4], 0);
    fopen(text[5], "r");
    fopen64(text[6], "r");
    connect(3, &address[0], sizeof address[0]);
    bind(3, &address[1], sizeof address[1]);
    sendto(3, "", 1, 0, &address[2], sizeof address[2]);
    writev(3, &piece, 1);
    sendmsg(3, &message, 0);
    system(text[7]);
    scandir(text[8], &entries, 0, 0);
    fsetpos(stdin, &place);
    return argument;
}

static void change(void)
{
    text[0][0]++;
    text[1][0]++;
    text[2][0]++;
    text[3][0]++;
    text[4][0]++;
    text[5][0]++;
    text[6][0]++;
    address[0].sa_family++;
    address[1].sa_family++;
    address[2].sa_family++;
    bytes[0]++;
    more[0]++;
    text[7][0]++;
    text[8][0]++;
    memset(&place, 0, sizeof place);
}

int main(void)
{
    pthread_t a;

    change();
    pthread_create(&a, 0, work, 0);
    pthread_join(a, 0);
    return 0;
}
