// irkiss: ; expect: none
//
// As realloc_large_racy.c, but the counter has a lock.
#include <pthread.h>
#include <stdlib.h>

struct connection {
    void *settings;
    char host[112];
    long at;
};
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int counter;

static void *worker(void *of)
{
    struct connection *connection = of;
    connection->at++; // NORACE
    pthread_mutex_lock(&lock);
    counter++; // NORACE
    pthread_mutex_unlock(&lock);
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
