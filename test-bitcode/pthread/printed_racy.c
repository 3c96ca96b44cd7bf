// irkiss: ; expect: race
//
// Output reads what it is given, input writes it, beside a thread that uses it too.
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static char line[4] = "a", text[4] = "b", items[4] = "c", bytes[4] = "d", input[4] = "e";

static void *worker(void *argument)
{
    line[0] = 'v'; // RACE
    text[0] = 'w'; // RACE
    items[1] = 'x'; // RACE
    bytes[1] = 'y'; // RACE
    return (void *)(long)input[1]; // RACE
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, worker, NULL);
    puts(line); // RACE
    fputs(text, stdout); // RACE
    fwrite(items, 1, 2, stdout); // RACE
    write(1, bytes, 2); // RACE
    read(0, input, 2); // RACE
    return 0;
}
