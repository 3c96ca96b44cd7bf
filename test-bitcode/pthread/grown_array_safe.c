// irkiss: ; expect: none ; lazy: yes
//
// An array that grows: how far its end is from its start leads on from where the new one starts.
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char *start, *end, *room;

static void append(char c)
{
    pthread_mutex_lock(&lock);
    if (end == room) {
        size_t used = (size_t)(end - start);
        char *larger = malloc(used + 2);

        larger[end - start] = c;
        if (used)
            memcpy(larger, start, used);
        free(start);
        start = larger;
        end = larger + used + 1;
        room = larger + used + 2;
    } else {
        *end++ = c;
    }
    pthread_mutex_unlock(&lock);
}

static void *worker(void *unused)
{
    append('a');
    return unused;
}

int main(void)
{
    pthread_t a;

    pthread_create(&a, 0, worker, 0);
    append('b');
    append('c');
    pthread_join(a, 0);
    return 0;
}
