// irkiss: ; expect: none ; lazy: yes
//
// Readers share, a writer is alone, in every spelling; permits of a semaphore are counted; a completion counts.
#include "answers.h"

typedef struct rwlock {
    long raw[2];
} rwlock_t;
static rwlock_t lock;
extern int _raw_read_trylock(rwlock_t *), _raw_write_trylock(rwlock_t *);
extern void __rwlock_init(rwlock_t *, const char *, void *);
#define FORMS(kind) \
    extern void _raw_##kind##_lock(rwlock_t *), _raw_##kind##_lock_irq(rwlock_t *), _raw_##kind##_lock_bh(rwlock_t *); \
    extern unsigned long _raw_##kind##_lock_irqsave(rwlock_t *); \
    extern void _raw_##kind##_unlock(rwlock_t *), _raw_##kind##_unlock_irq(rwlock_t *), _raw_##kind##_unlock_bh(rwlock_t *); \
    extern void _raw_##kind##_unlock_irqrestore(rwlock_t *, unsigned long);
FORMS(read)
FORMS(write)
#define READ(take, give) \
    take; \
    CHECK(_raw_read_trylock(&lock)); \
    _raw_read_unlock(&lock); \
    CHECK(!_raw_write_trylock(&lock)); \
    give; \
    CHECK(_raw_write_trylock(&lock)); \
    _raw_write_unlock(&lock);
#define WRITE(take, give) \
    take; \
    CHECK(!_raw_read_trylock(&lock)); \
    CHECK(!_raw_write_trylock(&lock)); \
    give; \
    CHECK(_raw_write_trylock(&lock)); \
    _raw_write_unlock(&lock);

static void reader_writer_locks(void)
{
    READ(_raw_read_lock(&lock), _raw_read_unlock(&lock))
    READ(_raw_read_lock_irq(&lock), _raw_read_unlock_irq(&lock))
    READ(_raw_read_lock_bh(&lock), _raw_read_unlock_bh(&lock))
    READ(_raw_read_lock_irqsave(&lock), _raw_read_unlock_irqrestore(&lock, 0))
    WRITE(_raw_write_lock(&lock), _raw_write_unlock(&lock))
    WRITE(_raw_write_lock_irq(&lock), _raw_write_unlock_irq(&lock))
    WRITE(_raw_write_lock_bh(&lock), _raw_write_unlock_bh(&lock))
    WRITE(_raw_write_lock_irqsave(&lock), _raw_write_unlock_irqrestore(&lock, 0))
    WRITE(_raw_write_lock(&lock), __rwlock_init(&lock, "lock", NULL))
}

static long semaphore[8];
extern void __init_rwsem(void *, const char *, void *);
extern void down_read(void *), up_read(void *), down_write(void *), up_write(void *), downgrade_write(void *);
extern void down_read_nested(void *, int), down_write_nested(void *, int), down_read_non_owner(void *), up_read_non_owner(void *);
extern int down_read_trylock(void *), down_write_trylock(void *);
extern int down_read_interruptible(void *), down_read_killable(void *), down_write_killable(void *);

#define SHARED(take) \
    take; \
    CHECK(down_read_trylock(semaphore)); \
    up_read(semaphore); \
    CHECK(!down_write_trylock(semaphore)); \
    up_read(semaphore); \
    CHECK(down_write_trylock(semaphore)); \
    up_write(semaphore);
#define ALONE(take) \
    take; \
    CHECK(!down_read_trylock(semaphore)); \
    CHECK(!down_write_trylock(semaphore)); \
    up_write(semaphore); \
    CHECK(down_read_trylock(semaphore)); \
    up_read(semaphore);
#define OR_SIGNAL(take, other, give) \
    { \
        int error = take; \
        CHECK(error == 0 || error == -EINTR); \
        if (!error) { \
            CHECK(!other); \
            give; \
        } \
    }

static void reader_writer_semaphores(void)
{
    SHARED(down_read(semaphore))
    SHARED(down_read_nested(semaphore, 1))
    ALONE(down_write(semaphore))
    ALONE(down_write_nested(semaphore, 1))
    OR_SIGNAL(down_read_interruptible(semaphore), down_write_trylock(semaphore), up_read(semaphore))
    OR_SIGNAL(down_read_killable(semaphore), down_write_trylock(semaphore), up_read(semaphore))
    OR_SIGNAL(down_write_killable(semaphore), down_read_trylock(semaphore), up_write(semaphore))
    down_write(semaphore);
    downgrade_write(semaphore);
    CHECK(down_read_trylock(semaphore));
    up_read(semaphore);
    CHECK(!down_write_trylock(semaphore));
    up_read(semaphore);
    down_write(semaphore);
    __init_rwsem(semaphore, "semaphore", NULL);
    CHECK(down_write_trylock(semaphore));
}

static long permits[8];
extern void down(void *), up(void *);
extern int down_trylock(void *), down_interruptible(void *), down_killable(void *), down_timeout(void *, long);

static void semaphores(void)
{
    int error;
    // One permit, as DEFINE_SEMAPHORE gives.
    down(permits);
    CHECK(down_trylock(permits));
    up(permits);
    CHECK(!down_trylock(permits));
    up(permits);
    error = down_interruptible(permits);
    CHECK(error == 0 || error == -EINTR);
    if (!error) {
        CHECK(down_trylock(permits));
        up(permits);
    }
    error = down_killable(permits);
    CHECK(error == 0 || error == -EINTR);
    if (!error) {
        CHECK(down_trylock(permits));
        up(permits);
    }
    error = down_timeout(permits, 5);
    CHECK(error == 0 || error == -62);
    if (!error)
        CHECK(down_trylock(permits));
}

struct completion {
    unsigned int done;
    long wait[4];
};
static struct completion done;
extern void complete(struct completion *), complete_all(struct completion *), wait_for_completion(struct completion *);
extern int wait_for_completion_interruptible(struct completion *), wait_for_completion_killable(struct completion *);
extern unsigned long wait_for_completion_timeout(struct completion *, unsigned long);
extern long wait_for_completion_interruptible_timeout(struct completion *, unsigned long);
extern _Bool try_wait_for_completion(struct completion *), completion_done(struct completion *);

static void completions(void)
{
    long left;
    CHECK(!completion_done(&done));
    complete(&done);
    CHECK(completion_done(&done));
    wait_for_completion(&done);
    CHECK(!completion_done(&done));
    CHECK(!try_wait_for_completion(&done));
    complete(&done);
    CHECK(try_wait_for_completion(&done));
    CHECK(done.done == 0);
    done.done = 1;
    left = wait_for_completion_interruptible(&done);
    CHECK(done.done == (left ? 1 : 0) && (left == 0 || left == -512));
    done.done = 1;
    left = wait_for_completion_killable(&done);
    CHECK(done.done == (left ? 1 : 0) && (left == 0 || left == -512));
    done.done = 1;
    left = wait_for_completion_timeout(&done, 5);
    CHECK(done.done == (left ? 0 : 1) && left >= 0 && left <= 5);
    done.done = 1;
    left = wait_for_completion_interruptible_timeout(&done, 5);
    CHECK(done.done == (left > 0 ? 0 : 1));
    complete_all(&done);
    wait_for_completion(&done);
    wait_for_completion(&done);
    CHECK(completion_done(&done));
}

static void answers(void)
{
    reader_writer_locks();
    reader_writer_semaphores();
    semaphores();
    completions();
}
