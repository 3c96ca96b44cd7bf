// irkiss: ; expect: race ; forms: nopass ; lazy: yes
//
// What is stored after something was written may come after it was read.
#include <pthread.h>
#include <unistd.h>

static int value, ends[2];

static void *writer(void *argument)
{
    write(ends[1], "a", 1);
    value = 1; // RACE
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
        value = 2; // RACE
    return 0;
}
