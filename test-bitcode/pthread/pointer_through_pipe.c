// irkiss: ; expect: race ; lazy: yes ; forms: nopass
// The address of a new object goes to another thread through a pipe, and nowhere else: no analysis follows it, but the object is no longer its
// maker's own, and what comes out of the pipe may lead to it.
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

struct item {
    int count;
};

static int ends[2];

static void *sends(void *arg)
{
    struct item *item = calloc(1, sizeof *item);
    if (!item)
        return NULL;
    if (write(ends[1], &item, sizeof item) != sizeof item)
        return NULL;
    item->count = 1; // RACE
    return NULL;
}

int main(void)
{
    pthread_t thread;
    struct item *item = NULL;
    int result = 0;
    if (pipe(ends))
        return 1;
    pthread_create(&thread, NULL, sends, NULL);
    if (read(ends[0], &item, sizeof item) == sizeof item && item)
        result = item->count; // RACE
    pthread_join(thread, NULL);
    return result;
}
