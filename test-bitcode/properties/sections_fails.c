// irkiss: --property atomicity ; expect: finds
// irkiss: --property atomicity --tier contexts --contexts 2 ; expect: finds
//
// No race, and yet what a critical section read is not there any more when a later one acts upon it: an update is lost, two threads
// claim what was free, a limit is passed, an atomic counter is checked and then written.
#include <pthread.h>
#include <stdatomic.h>

struct account {
    pthread_mutex_t lock;
    int balance, busy, users, total;
    unsigned flags;
};

static struct account one = { .lock = PTHREAD_MUTEX_INITIALIZER };
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static int level;
static _Atomic int opened;
static int choice;

/* What is written depends on what was read. */
static void update(struct account *a)
{
    int value;

    pthread_mutex_lock(&a->lock);
    value = a->balance; // FINDS:atomicity
    pthread_mutex_unlock(&a->lock);
    pthread_mutex_lock(&a->lock);
    a->balance = value + 10; // FINDS:atomicity
    pthread_mutex_unlock(&a->lock);
}

/* Whether it is written depends on it. */
static int claim(struct account *a)
{
    pthread_mutex_lock(&a->lock);
    if (a->busy) { // FINDS:atomicity
        pthread_mutex_unlock(&a->lock);
        return -1;
    }
    pthread_mutex_unlock(&a->lock);
    pthread_mutex_lock(&a->lock);
    a->busy = 1; // FINDS:atomicity
    pthread_mutex_unlock(&a->lock);
    return 0;
}

/* The same by way of helpers: one tells, another one acts. */
static int is_full(struct account *a)
{
    int full;

    pthread_mutex_lock(&a->lock);
    full = a->users >= 1; // FINDS:atomicity
    pthread_mutex_unlock(&a->lock);
    return full ? -1 : 0;
}

static void enter(struct account *a)
{
    pthread_mutex_lock(&a->lock);
    a->users++; // FINDS:atomicity
    pthread_mutex_unlock(&a->lock);
}

/* One bit of a word. */
static void mark(struct account *a)
{
    unsigned marked;

    pthread_mutex_lock(&a->lock);
    marked = a->flags & 4; // FINDS:atomicity
    pthread_mutex_unlock(&a->lock);
    if (marked)
        return;
    pthread_mutex_lock(&a->lock);
    a->flags |= 4; // FINDS:atomicity
    pthread_mutex_unlock(&a->lock);
}

/* Readers and writers. */
static void raise_level(void)
{
    int seen;

    pthread_rwlock_rdlock(&rwlock);
    seen = level; // FINDS:atomicity
    pthread_rwlock_unlock(&rwlock);
    pthread_rwlock_wrlock(&rwlock);
    level = seen + 1; // FINDS:atomicity
    pthread_rwlock_unlock(&rwlock);
}

/* Atomic operations are sections of their own. */
static void open_once(void)
{
    if (atomic_load(&opened) == 0) // FINDS:atomicity
        atomic_store(&opened, 1); // FINDS:atomicity
}

static void *worker(void *unused)
{
    int which = choice;

    if (which == 0)
        update(&one);
    if (which == 1)
        claim(&one);
    if (which == 2 && is_full(&one) == 0)
        enter(&one);
    if (which == 3)
        mark(&one);
    if (which == 4)
        raise_level();
    if (which == 5)
        open_once();
    return unused;
}

extern int __VERIFIER_nondet_int(void);

int main(void)
{
    pthread_t thread;

    choice = __VERIFIER_nondet_int();
    pthread_create(&thread, 0, worker, 0);
    worker(0);
    pthread_join(thread, 0);
    return 0;
}
