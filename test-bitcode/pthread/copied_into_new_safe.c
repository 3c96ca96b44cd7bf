// irkiss: ; expect: none
// As the racy twin, but both hold a lock; what is written into the new object needs none.
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct settings {
    long limits[3];
    int mode;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *copies(void *arg)
{
    struct settings *own = calloc(1, sizeof *own);
    if (!own)
        return NULL;
    pthread_mutex_lock(&lock);
    memcpy(own, arg, sizeof *own);
    pthread_mutex_unlock(&lock);
    own->mode = 4;
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
    pthread_mutex_lock(&lock);
    shared->mode = 3;
    pthread_mutex_unlock(&lock);
    pthread_join(thread, &copy);
    free(copy);
    return 0;
}
