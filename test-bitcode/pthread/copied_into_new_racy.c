// irkiss: ; expect: race
// A thread copies a shared object into one that it has just made: what it reads there is shared, only what it writes is its own.
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct settings {
    long limits[3];
    int mode;
};

static void *copies(void *arg)
{
    struct settings *own = calloc(1, sizeof *own);
    if (!own)
        return NULL;
    memcpy(own, arg, sizeof *own); // RACE
    return own;
}

int main(void)
{
    pthread_t thread;
    void *copy;
    struct settings *shared = calloc(1, sizeof *shared);
    if (!shared)
        return 1;
    pthread_create(&thread, NULL, copies, shared);
    shared->mode = 3; // RACE
    pthread_join(thread, &copy);
    free(copy);
    return 0;
}
