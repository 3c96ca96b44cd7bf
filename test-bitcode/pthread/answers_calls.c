// irkiss: ; expect: none ; forms: nopass
//
// What the C library and pthreads answer where it is always the same: attributes and settings that are accepted, strings that are
// copied and searched, threads that are the same thread.
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

static void attributes(void)
{
    pthread_attr_t thread;
    pthread_condattr_t cond;
    pthread_barrierattr_t barrier;
    pthread_mutexattr_t mutex;
    pthread_rwlockattr_t rwlock;
    struct sched_param parameter = { 0 };
    cpu_set_t set = { 0 };

    assert(pthread_attr_init(&thread) == 0);
    assert(pthread_attr_setdetachstate(&thread, 0) == 0);
    assert(pthread_attr_setstacksize(&thread, 65536) == 0);
    assert(pthread_attr_setguardsize(&thread, 4096) == 0);
    assert(pthread_attr_setscope(&thread, 0) == 0);
    assert(pthread_attr_setinheritsched(&thread, 0) == 0);
    assert(pthread_attr_setschedpolicy(&thread, 0) == 0);
    assert(pthread_attr_setschedparam(&thread, &parameter) == 0);
    assert(pthread_attr_setaffinity_np(&thread, sizeof(set), &set) == 0);
    assert(pthread_attr_destroy(&thread) == 0);
    assert(pthread_condattr_init(&cond) == 0);
    assert(pthread_condattr_setclock(&cond, 0) == 0);
    assert(pthread_condattr_setpshared(&cond, 0) == 0);
    assert(pthread_condattr_destroy(&cond) == 0);
    assert(pthread_barrierattr_init(&barrier) == 0);
    assert(pthread_barrierattr_setpshared(&barrier, 0) == 0);
    assert(pthread_barrierattr_destroy(&barrier) == 0);
    assert(pthread_mutexattr_init(&mutex) == 0);
    assert(pthread_mutexattr_setpshared(&mutex, 0) == 0);
    assert(pthread_mutexattr_setprotocol(&mutex, 0) == 0);
    assert(pthread_mutexattr_setprioceiling(&mutex, 1) == 0);
    assert(pthread_mutexattr_setrobust(&mutex, 0) == 0);
    assert(pthread_mutexattr_destroy(&mutex) == 0);
    assert(pthread_rwlockattr_init(&rwlock) == 0);
    assert(pthread_rwlockattr_setpshared(&rwlock, 0) == 0);
    assert(pthread_rwlockattr_setkind_np(&rwlock, 0) == 0);
    assert(pthread_rwlockattr_destroy(&rwlock) == 0);
}

static void settings(void)
{
    struct sched_param parameter = { 0 };
    struct timespec duration = { 0, 1 };
    cpu_set_t set = { 0 };
    int old;

    assert(pthread_setaffinity_np(pthread_self(), sizeof(set), &set) == 0);
    assert(pthread_setname_np(pthread_self(), "main") == 0);
    assert(pthread_setschedparam(pthread_self(), 0, &parameter) == 0);
    assert(pthread_setconcurrency(1) == 0);
    assert(pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old) == 0 && old == PTHREAD_CANCEL_ENABLE);
    assert(pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &old) == 0 && old == PTHREAD_CANCEL_DEFERRED);
    assert(sched_yield() == 0);
    assert(usleep(1) == 0);
    assert(sleep(0) == 0);
    assert(nanosleep(&duration, NULL) == 0);
    assert(clock_nanosleep(CLOCK_MONOTONIC, 0, &duration, NULL) == 0);
    assert(getpid() > 0);
    assert(rand() >= 0 && random() >= 0);
}

static void strings(void)
{
    char text[16] = "a/b/c", other[16];
    void *aligned = NULL;
    char *copy;

    assert(strrchr(text, '/') == text + 3 && !strrchr(text, 'x'));
    assert(memchr(text, 'b', 5) == text + 2 && !memchr(text, 'b', 2));
    assert(stpcpy(other, "ab") == other + 2 && other[1] == 'b' && other[2] == 0);
    assert(strcat(other, "c") == other && other[2] == 'c' && other[3] == 0);
    assert(mempcpy(other, "xyz", 2) == (void *)(other + 2) && other[1] == 'y' && other[2] == 'c');
    bzero(other, 2);
    assert(other[0] == 0 && other[1] == 0 && other[2] == 'c');
    explicit_bzero(other, 4);
    assert(other[2] == 0);
    bcopy("uv", other, 2);
    assert(other[0] == 'u' && other[1] == 'v');
    copy = strdup("ab");
    assert(!copy || (copy[0] == 'a' && copy[1] == 'b' && copy[2] == 0));
    if (copy) {
        copy = reallocarray(copy, 3, 2);
        assert(!copy || copy[1] == 'b');
    }
    if (posix_memalign(&aligned, 16, 8) == 0) {
        ((char *)aligned)[7] = 1;
        assert(((char *)aligned)[7] == 1);
    }
}

static int once_done;
static once_flag flag = ONCE_FLAG_INIT;

static void do_once(void)
{
    once_done++;
}

static void c11(void)
{
    mtx_t mutex;
    cnd_t cond;
    tss_t key;
    struct timespec duration = { 0, 1 };

    assert(thrd_equal(thrd_current(), thrd_current()));
    assert(thrd_sleep(&duration, NULL) == 0);
    assert(cnd_init(&cond) == thrd_success);
    assert(cnd_signal(&cond) == thrd_success && cnd_broadcast(&cond) == thrd_success);
    cnd_destroy(&cond);
    assert(tss_create(&key, NULL) == thrd_success);
    assert(!tss_get(key));
    assert(tss_set(key, &mutex) == thrd_success && tss_get(key) == &mutex);
    call_once(&flag, do_once);
    call_once(&flag, do_once);
    assert(once_done == 1);
}

static void destroyed(void)
{
    pthread_cond_t cond;
    pthread_rwlock_t rwlock;
    pthread_spinlock_t spin;
    pthread_key_t key;

    assert(pthread_cond_init(&cond, NULL) == 0 && pthread_cond_signal(&cond) == 0);
    assert(pthread_cond_broadcast(&cond) == 0 && pthread_cond_destroy(&cond) == 0);
    assert(pthread_rwlock_init(&rwlock, NULL) == 0 && pthread_rwlock_destroy(&rwlock) == 0);
    assert(pthread_spin_init(&spin, 0) == 0 && pthread_spin_destroy(&spin) == 0);
    assert(pthread_key_create(&key, NULL) == 0 && pthread_key_delete(key) == 0);
}

static void *second(void *argument)
{
    return argument;
}

int main(void)
{
    pthread_t thread;

    assert(pthread_create(&thread, NULL, second, NULL) == 0 && pthread_detach(thread) == 0);
    attributes();
    settings();
    strings();
    c11();
    destroyed();
    return 0;
}
