// irkiss: ; forms: nopass ; expect: none ; lazy: yes
//
// Per-CPU reader-writer semaphores and the lock of CPU hotplug: readers share, a writer is alone. A sequence counter lets readers in
// while nobody writes, and writers while nobody reads.
#include "answers.h"

struct percpu_rw_semaphore {
    unsigned int *read_count;
    int block;
};
extern int __percpu_init_rwsem(struct percpu_rw_semaphore *, const char *, void *);
extern void percpu_down_write(struct percpu_rw_semaphore *), percpu_up_write(struct percpu_rw_semaphore *);
extern _Bool __percpu_down_read(struct percpu_rw_semaphore *, _Bool);

/* As include/linux/percpu-rwsem.h has them, of a kernel whose slow path is always taken. */
static inline void percpu_down_read(struct percpu_rw_semaphore *sem)
{
    __percpu_down_read(sem, 0);
}

static inline _Bool percpu_down_read_trylock(struct percpu_rw_semaphore *sem)
{
    return __percpu_down_read(sem, 1);
}

static inline void percpu_up_read(struct percpu_rw_semaphore *sem)
{
    sem->block--;
}

static struct percpu_rw_semaphore sem;

static void semaphores(void)
{
    int error = __percpu_init_rwsem(&sem, "sem", NULL);
    CHECK(error == 0 || error == -12);
    percpu_down_write(&sem);
    CHECK(!percpu_down_read_trylock(&sem));
    percpu_up_write(&sem);
    percpu_down_read(&sem);
    CHECK(percpu_down_read_trylock(&sem));
    percpu_up_read(&sem);
    percpu_up_read(&sem);
    percpu_down_write(&sem);
    CHECK(!percpu_down_read_trylock(&sem));
    error = __percpu_init_rwsem(&sem, "sem", NULL);
    CHECK(error || percpu_down_read_trylock(&sem));
}

extern void cpus_read_lock(void), cpus_read_unlock(void), cpus_write_lock(void), cpus_write_unlock(void);
extern int cpus_read_trylock(void);

static void hotplug(void)
{
    cpus_write_lock();
    CHECK(!cpus_read_trylock());
    cpus_write_unlock();
    cpus_read_lock();
    CHECK(cpus_read_trylock());
    cpus_read_unlock();
    cpus_read_unlock();
    cpus_write_lock();
    CHECK(!cpus_read_trylock());
    cpus_write_unlock();
}

typedef struct {
    unsigned int sequence;
} seqcount_t;
typedef struct {
    seqcount_t seqcount;
} seqcount_of_t;

/* As include/linux/seqlock.h has them. */
static inline unsigned int __seqprop_sequence(const seqcount_t *s)
{
    return *(const volatile unsigned int *)&s->sequence;
}
#define SEQUENCE(lock) \
    static inline unsigned int __seqprop_##lock##_sequence(const seqcount_of_t *s) \
    { \
        return *(const volatile unsigned int *)&s->seqcount.sequence; \
    }
SEQUENCE(raw_spinlock)
SEQUENCE(spinlock)
SEQUENCE(rwlock)
SEQUENCE(mutex)

static inline int do___read_seqcount_retry(const seqcount_t *s, unsigned int start)
{
    return *(const volatile unsigned int *)&s->sequence != start;
}

static inline void do_raw_write_seqcount_begin(seqcount_t *s)
{
    s->sequence++;
}

static inline void do_raw_write_seqcount_end(seqcount_t *s)
{
    s->sequence++;
}

static seqcount_of_t counter = { { 1 } };
#define SECTION(begin) \
    start = begin; \
    CHECK((start & 1) == 0); \
    CHECK(!do___read_seqcount_retry(&counter.seqcount, start));

/* The models know nothing of what stands in the counter: an odd one stands for a writer in no other's. */
static void counters(void)
{
    unsigned int start;
    SECTION(__seqprop_sequence(&counter.seqcount))
    SECTION(__seqprop_raw_spinlock_sequence(&counter))
    SECTION(__seqprop_spinlock_sequence(&counter))
    SECTION(__seqprop_rwlock_sequence(&counter))
    SECTION(__seqprop_mutex_sequence(&counter))
    do_raw_write_seqcount_begin(&counter.seqcount);
    do_raw_write_seqcount_end(&counter.seqcount);
    CHECK(counter.seqcount.sequence == 1);
    SECTION(__seqprop_sequence(&counter.seqcount))
}

static void answers(void)
{
    semaphores();
    hotplug();
    counters();
}
