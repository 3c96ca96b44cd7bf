// irkiss: --property atomicity --work 400k ; expect: none
// irkiss: --property atomicity --tier contexts --contexts 2 ; forms: nopass ; expect: none
//
// The same in one section; decided anew in the second one; what only looks; other memory, other bits; what is the thread's own by then;
// what compares as it writes.
#include <pthread.h>
#include <stdatomic.h>

struct account {
    pthread_mutex_t lock;
    int balance, busy, users, total, seen, state, ready;
    unsigned flags;
};

static struct account one = { .lock = PTHREAD_MUTEX_INITIALIZER }, two = { .lock = PTHREAD_MUTEX_INITIALIZER };
static _Atomic int opened, count;
static int choice;

static void update(struct account *a)
{
    pthread_mutex_lock(&a->lock);
    a->balance += 10;
    pthread_mutex_unlock(&a->lock);
}

static void claim(struct account *a)
{
    int busy;

    pthread_mutex_lock(&a->lock);
    busy = a->busy;
    pthread_mutex_unlock(&a->lock);
    if (busy)
        return;
    pthread_mutex_lock(&a->lock);
    if (!a->busy)
        a->busy = 1;
    pthread_mutex_unlock(&a->lock);
}

/* Another value than before, and it is decided by that. */
static void enter(struct account *a)
{
    int full;

    pthread_mutex_lock(&a->lock);
    full = a->users >= 1;
    pthread_mutex_unlock(&a->lock);
    if (full)
        return;
    pthread_mutex_lock(&a->lock);
    if (a->users < 5)
        a->users++;
    pthread_mutex_unlock(&a->lock);
}

static int look(struct account *a)
{
    int twice;

    pthread_mutex_lock(&a->lock);
    twice = a->balance;
    pthread_mutex_unlock(&a->lock);
    pthread_mutex_lock(&a->lock);
    twice += a->balance;
    pthread_mutex_unlock(&a->lock);
    return twice;
}

/* What is read of one account is written to another. */
static void copy(struct account *from, struct account *to)
{
    int value;

    pthread_mutex_lock(&from->lock);
    value = from->total;
    pthread_mutex_unlock(&from->lock);
    pthread_mutex_lock(&to->lock);
    to->seen = value;
    pthread_mutex_unlock(&to->lock);
}

static void mark(struct account *a)
{
    unsigned marked;

    pthread_mutex_lock(&a->lock);
    marked = a->flags & 4;
    pthread_mutex_unlock(&a->lock);
    if (marked)
        return;
    pthread_mutex_lock(&a->lock);
    a->flags |= 8;
    pthread_mutex_unlock(&a->lock);
}

/* Who has made it 1 may make it 0. */
static void use(struct account *a)
{
    pthread_mutex_lock(&a->lock);
    if (a->state) {
        pthread_mutex_unlock(&a->lock);
        return;
    }
    a->state = 1;
    pthread_mutex_unlock(&a->lock);
    pthread_mutex_lock(&a->lock);
    a->state = 0;
    pthread_mutex_unlock(&a->lock);
}

/* What is written does not depend on what was read. */
static int reset(struct account *a)
{
    int before;

    pthread_mutex_lock(&a->lock);
    before = a->ready;
    pthread_mutex_unlock(&a->lock);
    pthread_mutex_lock(&a->lock);
    a->ready = 7;
    pthread_mutex_unlock(&a->lock);
    return before;
}

static void open_once(void)
{
    int none = 0;

    if (atomic_load(&opened) == 0)
        atomic_compare_exchange_strong(&opened, &none, 1);
    if (atomic_load(&count) == 0 && atomic_exchange(&count, 1) == 0)
        look(&one);
}

static void *worker(void *unused)
{
    int which = choice;

    if (which == 0)
        update(&one);
    if (which == 1)
        claim(&one);
    if (which == 2)
        look(&one);
    if (which == 3)
        copy(&one, &two);
    if (which == 4)
        mark(&one);
    if (which == 5)
        use(&one);
    if (which == 6)
        reset(&one);
    if (which == 7)
        open_once();
    if (which == 8)
        enter(&one);
    return unused;
}

extern int __VERIFIER_nondet_int(void);

int main(void)
{
    pthread_t thread;

    choice = __VERIFIER_nondet_int();
    pthread_create(&thread, 0, worker, 0);
    worker(0);
    pthread_mutex_lock(&one.lock);
    one.total++;
    one.balance++;
    pthread_mutex_unlock(&one.lock);
    pthread_join(thread, 0);
    return 0;
}
