// irkiss: ; expect: race
//
// The read side alone is held where the value is written; what was given back once more was held by nobody.
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
    balance = a->balance; // RACE
    pthread_rwlock_unlock(&a->lock);
    return balance;
}

static void pay(struct account *a, int sum)
{
    if (pthread_rwlock_tryrdlock(&a->lock) != 0)
        return;
    a->balance = sum; // RACE
    pthread_rwlock_unlock(&a->lock);
}

static void *worker(void *argument)
{
    if (pthread_rwlock_tryrdlock(&lock) == 0) {
        int seen = 1;
        pthread_rwlock_unlock(&lock);
        seen += level; // RACE
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
    level = look(&account); // RACE
    pthread_rwlock_unlock(&lock);
    return 0;
}
