// irkiss: ; expect: race
// An object that holds its own address from the start: a call-back is given what the object says it is to be given, which is the object.
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
    calls(watch);
    watch->count = 1; // RACE
    return NULL;
}

int main(void)
{
    pthread_t thread;
    struct watch *found;
    pthread_create(&thread, NULL, works, NULL);
    found = watched;
    if (found)
        return found->count; // RACE
    return 0;
}
