// irkiss: ; expect: race ; lazy: yes
//
// After a call of a function that nothing is known of executions go on.
#include <pthread.h>

struct operations {
    int (*check)(int);
};

extern struct operations *lookup(void);

static int count;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *worker(void *unused)
{
    struct operations *operations = lookup();
    if (operations && operations->check && operations->check(3)) {
        count++; // RACE
    }
    return unused;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, worker, 0);
    pthread_create(&b, 0, worker, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
