// irkiss: ; expect: race ; forms: nopass ; lazy: yes
//
// What functions of the C library read through pointers that they are given: names, addresses, pieces.
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
    atof(text[0]); // RACE
    open(text[1], 0); // RACE
    open64(text[2], 0); // RACE
    openat(3, text[3], 0); // RACE
    creat(text[4], 0); // RACE
    fopen(text[5], "r"); // RACE
    fopen64(text[6], "r"); // RACE
    connect(3, &address[0], sizeof address[0]); // RACE
    bind(3, &address[1], sizeof address[1]); // RACE
    sendto(3, "", 1, 0, &address[2], sizeof address[2]); // RACE
    writev(3, &piece, 1); // RACE
    sendmsg(3, &message, 0); // RACE
    system(text[7]); // RACE
    scandir(text[8], &entries, 0, 0); // RACE
    fsetpos(stdin, &place); // RACE
    return argument;
}

static void change(void)
{
    text[0][0]++; // RACE
    text[1][0]++; // RACE
    text[2][0]++; // RACE
    text[3][0]++; // RACE
    text[4][0]++; // RACE
    text[5][0]++; // RACE
    text[6][0]++; // RACE
    address[0].sa_family++; // RACE
    address[1].sa_family++; // RACE
    address[2].sa_family++; // RACE
    bytes[0]++; // RACE
    more[0]++; // RACE
    text[7][0]++; // RACE
    text[8][0]++; // RACE
    memset(&place, 0, sizeof place); // RACE
}

int main(void)
{
    pthread_t a;

    pthread_create(&a, 0, work, 0);
    change();
    pthread_join(a, 0);
    return 0;
}
