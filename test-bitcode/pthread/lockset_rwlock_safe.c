// irkiss: ; expect: none; by: lockset
//
// Reader-writer locks whose one unlock function gives back whichever side is held: waited for, tried, initialised at run time, and
// reached through a pointer. Whoever holds nothing gets an error from it and gives nothing back.
#include <pthread.h>
#include <stddef.h>

struct account {
    pthread_rwlock_t lock;
    int balance;
};

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static struct account account;
static int level;

static int look(struct account *a)
{
    int balance;
    pthread_rwlock_rdlock(&a->lock);
    balance = a->balance; // NORACE
    pthread_rwlock_unlock(&a->lock);
    return balance;
}

static void pay(struct account *a, int sum)
{
    if (pthread_rwlock_trywrlock(&a->lock) != 0)
        return;
    a->balance += sum; // NORACE
    pthread_rwlock_unlock(&a->lock);
    pthread_rwlock_unlock(&a->lock);
}

static void *worker(void *argument)
{
    if (pthread_rwlock_tryrdlock(&lock) == 0) {
        int seen = level; // NORACE
        pthread_rwlock_unlock(&lock);
        pay(&account, seen);
    }
    return argument;
}

int main(void)
{
    pthread_t thread;
    pthread_rwlock_init(&account.lock, NULL);
    pthread_create(&thread, NULL, worker, NULL);
    pthread_rwlock_wrlock(&lock);
    level = look(&account); // NORACE
    pthread_rwlock_unlock(&lock);
    return 0;
}
