// irkiss: --work 400k ; expect: none ; forms: nopass ; lazy: yes
//
// Who reads a pipe waits until something was written, and with it what was stored before.
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
    if (pipe(ends) != 0)
        return 1;
    pthread_create(&thread, 0, writer, 0);
    if (read(ends[0], &byte, 1) == 1)
        value = 2; // NORACE
    return 0;
}
