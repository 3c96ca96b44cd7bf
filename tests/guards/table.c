// Threads with a reader-writer lock and a table whose elements have a lock each. What WRONG breaks is what the tests look for.
#include <pthread.h>
#include <stddef.h>

struct slot {
    pthread_mutex_t lock;
    int count;
};

static struct slot slots[4];
static pthread_rwlock_t config_lock = PTHREAD_RWLOCK_INITIALIZER;
static int config;
int which;

static int look(void)
{
    int value;
    pthread_rwlock_rdlock(&config_lock);
    value = config;
    pthread_rwlock_unlock(&config_lock);
    return value;
}

static void change(void)
{
    pthread_rwlock_wrlock(&config_lock);
    config++;
    pthread_rwlock_unlock(&config_lock);
}

static void lose(void)
{
#ifdef WRONG
    pthread_rwlock_rdlock(&config_lock);
    config = 0; // LINE lose
    pthread_rwlock_unlock(&config_lock);
#endif
}

static void bump(struct slot *slot)
{
    pthread_mutex_lock(&slot->lock);
    slot->count++;
    pthread_mutex_unlock(&slot->lock);
}

static void *worker(void *argument)
{
    bump(&slots[(size_t)argument & 3]);
    if (look())
        change();
    lose();
    return NULL;
}

int main(void)
{
    pthread_t thread;
    config = 1;
    pthread_create(&thread, NULL, worker, NULL);
    bump(&slots[look() & 3]);
    change();
    return 0;
}
