// irkiss: ; expect: none
// As the racy twin, but nobody changes the object any more once others may find it.
#include <pthread.h>
#include <stdlib.h>

struct watch {
    void (*call)(void *context);
    void *context;
    int count;
};

static struct watch *_Atomic watched;

static void shows(void *context)
{
    watched = context;
}

static struct watch *makes(void)
{
    struct watch *watch = malloc(sizeof *watch);
    if (!watch)
        return NULL;
    watch->context = watch;
    watch->call = shows;
    watch->count = 0;
    return watch;
}

static void calls(struct watch *watch)
{
    watch->call(watch->context);
}

static void *works(void *arg)
{
    struct watch *watch = makes();
    if (!watch)
        return NULL;
    watch->count = 1;
    calls(watch);
    return NULL;
}

int main(void)
{
    pthread_t thread;
    struct watch *found;
    pthread_create(&thread, NULL, works, NULL);
    found = watched;
    if (found)
        return found->count;
    return 0;
}
