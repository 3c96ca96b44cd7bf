// irkiss: ; expect: race
//
// All that comes after a member is cleared, as memset_startat() of the kernel does: a length that a helper is given may go beyond the
// array that it begins in.
#include <pthread.h>
#include <stddef.h>
#include <string.h>

struct shared {
    int id;
    int junk[4];
    int turn;
};

static struct shared shared;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void wipe(void *from, unsigned long bytes)
{
    memset(from, 0, bytes); // RACE
}

static void *worker(void *name)
{
    wipe((unsigned char *)&shared + offsetof(struct shared, junk), sizeof(shared) - offsetof(struct shared, junk));
    pthread_mutex_lock(&lock);
    shared.turn++;
    pthread_mutex_unlock(&lock);
    return name;
}

int main(void)
{
    pthread_t thread;

    pthread_create(&thread, 0, worker, 0);
    pthread_mutex_lock(&lock);
    shared.turn = 1; // RACE
    pthread_mutex_unlock(&lock);
    return 0;
}
