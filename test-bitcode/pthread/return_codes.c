// irkiss: ; expect: none
//
// What the functions answer, as glibc does: this program also runs natively (tests/oracle.rs), where the same assertions hold.
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

int initialised;
pthread_once_t once = PTHREAD_ONCE_INIT;
pthread_key_t key;
int destroyed;

static void initialise(void)
{
    initialised++;
}

static void destroy(void *value)
{
    assert(value == &destroyed);
    destroyed = 1;
}

static void *worker(void *argument)
{
    pthread_mutex_t *held = argument;
    assert(pthread_mutex_trylock(held) == EBUSY);
    assert(pthread_once(&once, initialise) == 0);
    assert(pthread_getspecific(key) == NULL);
    assert(pthread_setspecific(key, &destroyed) == 0);
    assert(pthread_getspecific(key) == &destroyed);
    assert(pthread_self() != 0);
    pthread_exit((void *)5);
}

static void mutexes(void)
{
    struct timespec past = { 0, 0 };
    pthread_mutex_t normal = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_t nesting = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
    pthread_mutex_t checked = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
    pthread_mutexattr_t attributes;
    pthread_mutex_t made;
    int type;

    assert(pthread_mutex_trylock(&normal) == 0);
    assert(pthread_mutex_trylock(&normal) == EBUSY);
    assert(pthread_mutex_timedlock(&normal, &past) == ETIMEDOUT);
    assert(pthread_mutex_destroy(&normal) == EBUSY);
    assert(pthread_mutex_unlock(&normal) == 0);
    assert(pthread_mutex_destroy(&normal) == 0);

    assert(pthread_mutex_lock(&nesting) == 0);
    assert(pthread_mutex_lock(&nesting) == 0);
    assert(pthread_mutex_trylock(&nesting) == 0);
    assert(pthread_mutex_unlock(&nesting) == 0);
    assert(pthread_mutex_unlock(&nesting) == 0);
    assert(pthread_mutex_unlock(&nesting) == 0);
    assert(pthread_mutex_unlock(&nesting) == EPERM);

    assert(pthread_mutex_unlock(&checked) == EPERM);
    assert(pthread_mutex_lock(&checked) == 0);
    assert(pthread_mutex_lock(&checked) == EDEADLK);
    assert(pthread_mutex_trylock(&checked) == EBUSY);
    assert(pthread_mutex_unlock(&checked) == 0);

    assert(pthread_mutexattr_init(&attributes) == 0);
    assert(pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE) == 0);
    assert(pthread_mutexattr_gettype(&attributes, &type) == 0 && type == PTHREAD_MUTEX_RECURSIVE);
    assert(pthread_mutex_init(&made, &attributes) == 0);
    assert(pthread_mutex_lock(&made) == 0);
    assert(pthread_mutex_lock(&made) == 0);
}

int main(void)
{
    pthread_mutex_t held = PTHREAD_MUTEX_INITIALIZER;
    pthread_t thread;
    void *result;

    mutexes();
    assert(pthread_once(&once, initialise) == 0);
    assert(pthread_key_create(&key, destroy) == 0);
    assert(pthread_mutex_lock(&held) == 0);
    assert(pthread_join(pthread_self(), NULL) == EDEADLK);
    assert(pthread_create(&thread, NULL, worker, &held) == 0);
    assert(!pthread_equal(thread, pthread_self()));
    assert(pthread_join(thread, &result) == 0);
    assert(result == (void *)5);
    assert(initialised == 1 && destroyed == 1);
    return 0;
}
