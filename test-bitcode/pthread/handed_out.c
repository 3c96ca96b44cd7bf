// irkiss:  ; expect: race ; forms: nopass, o0 ; lazy: yes
//
// A table of callbacks is handed to a function of another file, which may call them whenever it likes, and without the lock
#include <pthread.h>

struct clock_ops {
    void (*tick)(void);
};
void install_clock(struct clock_ops *ops);

static int ticks;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void tick(void)
{
    ticks++; // RACE
}
static struct clock_ops ops = { tick };

static void *reader(void *unused)
{
    pthread_mutex_lock(&lock);
    ticks++; // RACE?
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t t;
    install_clock(&ops);
    pthread_create(&t, 0, reader, 0);
    pthread_mutex_lock(&lock);
    ticks++; // RACE?
    pthread_mutex_unlock(&lock);
    pthread_join(t, 0);
    return 0;
}
