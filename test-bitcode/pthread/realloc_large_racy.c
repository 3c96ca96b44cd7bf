// irkiss: ; expect: race
//
// Blocks of more than 64 bytes grow: all of the old one is copied, and what comes after is reached.
#include <pthread.h>
#include <stdlib.h>

struct connection {
    void *settings;
    char host[112];
    long at;
};
static int counter;

static void *worker(void *of)
{
    struct connection *connection = of;
    connection->at++; // NORACE
    counter++; // RACE
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t threads[2];
    struct connection *one = calloc(1, sizeof *one);
    if (!one)
        return 1;
    one->at = 7;
    struct connection *two = realloc(one, 2 * sizeof *one);
    if (!two)
        return 1;
    two[1].at = 1;
    if (two[0].at != 7)
        return 1;
    pthread_create(&threads[0], NULL, worker, &two[0]);
    pthread_create(&threads[1], NULL, worker, &two[1]);
    return 0;
}
