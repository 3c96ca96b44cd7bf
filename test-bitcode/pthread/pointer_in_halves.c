// irkiss: ; expect: race ; lazy: yes ; forms: nopass
// A pointer is copied half by half: no analysis follows where the copy leads, but a search does.
#include <pthread.h>
#include <stdlib.h>

struct item {
    int count;
};

static struct item *_Atomic shown;

static void *makes(void *arg)
{
    struct item *item = calloc(1, sizeof *item), *copy = NULL;
    if (!item)
        return NULL;
    ((int *)&copy)[0] = ((int *)&item)[0];
    ((int *)&copy)[1] = ((int *)&item)[1];
    shown = copy;
    item->count = 1; // RACE
    return NULL;
}

int main(void)
{
    pthread_t thread;
    struct item *found;
    pthread_create(&thread, NULL, makes, NULL);
    found = shown;
    if (found)
        return found->count; // RACE
    return 0;
}
