// irkiss: --work 400k ; expect: none ; forms: nopass ; lazy: yes
//
// As pipe_prompt_racy.c, but whether anything was read is looked at.
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

static int value, ends[2];

static void *writer(void *argument)
{
    value = 1; // NORACE
    write(ends[1], "a", 1);
    return argument;
}

int main(void)
{
    pthread_t thread;
    char byte;
    if (pipe2(ends, O_NONBLOCK) != 0)
        return 1;
    pthread_create(&thread, 0, writer, 0);
    if (read(ends[0], &byte, 1) == 1)
        value = 2; // NORACE
    return 0;
}
