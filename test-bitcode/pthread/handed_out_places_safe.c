// irkiss: ; expect: none ; forms: nopass, o0 ; lazy: yes
//
// Callbacks are handed out in a local struct, in one that is filled while the program runs, and in one on the heap. Who gets them may call
// them from a thread of its own, also where the compiler (-O0) has left the types of its declaration out.
#include <pthread.h>
#include <stdlib.h>

struct clock_ops {
    int id;
    void (*tick)(void *);
};
void install_clock(struct clock_ops *ops, void *argument);

static int local, late, heap;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void tick_local(void *unused)
{
    pthread_mutex_lock(&lock);
    local++;
    pthread_mutex_unlock(&lock);
}

static void tick_late(void *unused)
{
    pthread_mutex_lock(&lock);
    late++;
    pthread_mutex_unlock(&lock);
}

static void tick_heap(void *unused)
{
    pthread_mutex_lock(&lock);
    heap++;
    pthread_mutex_unlock(&lock);
}

static void *reader(void *unused)
{
    pthread_mutex_lock(&lock);
    local++;
    late++;
    heap++;
    pthread_mutex_unlock(&lock);
    return unused;
}

static struct clock_ops filled;

int main(void)
{
    struct clock_ops here = { 1, tick_local };
    struct clock_ops *there = malloc(sizeof *there);
    pthread_t t;

    install_clock(&here, 0);
    filled.tick = tick_late;
    install_clock(&filled, 0);
    if (there) {
        there->tick = tick_heap;
        install_clock(there, 0);
    }
    pthread_create(&t, 0, reader, 0);
    pthread_join(t, 0);
    return 0;
}
