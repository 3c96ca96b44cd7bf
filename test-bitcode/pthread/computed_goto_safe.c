// irkiss: --unwind 4 ; expect: none
//
// As computed_goto_racy.c, but the program takes the lock.
#include <pthread.h>

static int count;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static const unsigned char code[] = { 1, 2, 3, 0 };

static void run(const unsigned char *pc)
{
    static const void *const labels[] = { &&stop, &&take, &&add, &&give };

    goto *labels[*pc++];
take:
    pthread_mutex_lock(&lock);
    goto *labels[*pc++];
add:
    count++;
    goto *labels[*pc++];
give:
    pthread_mutex_unlock(&lock);
    goto *labels[*pc++];
stop:
    return;
}

static void *worker(void *unused)
{
    run(code);
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
