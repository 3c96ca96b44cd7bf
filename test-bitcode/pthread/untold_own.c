// irkiss: ; expect: none ; forms: o0 ; lazy: yes
//
// As untold_memory.c, where it is given nothing but variables of its caller, and what is constant.
#include <pthread.h>

void measure_everything(int *results, const char *name);

static int count;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *argument)
{
    int results[4] = {0};

    measure_everything(results, "all");
    pthread_mutex_lock(&lock);
    count++;
    pthread_mutex_unlock(&lock);
    return argument;
}

int main(void)
{
    pthread_t a;

    if (pthread_create(&a, 0, work, 0) != 0)
        return 1;
    work(0);
    pthread_join(a, 0);
    return 0;
}
