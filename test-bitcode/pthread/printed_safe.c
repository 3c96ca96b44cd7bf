// irkiss: ; expect: none
//
// Output reads what it is given, input writes it: who uses that too joins the thread first.
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static char line[4] = "a", text[4] = "b", items[4] = "c", bytes[4] = "d", input[4] = "e";

static void *worker(void *argument)
{
    line[0] = 'v'; // NORACE
    text[0] = 'w'; // NORACE
    items[1] = 'x'; // NORACE
    bytes[1] = 'y'; // NORACE
    return (void *)(long)input[1]; // NORACE
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, worker, NULL);
    pthread_join(thread, NULL);
    puts(line); // NORACE
    fputs(text, stdout); // NORACE
    fwrite(items, 1, 2, stdout); // NORACE
    write(1, bytes, 2); // NORACE
    read(0, input, 2); // NORACE
    return 0;
}
