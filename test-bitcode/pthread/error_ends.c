// irkiss: ; expect: none ; forms: nopass ; lazy: yes
//
// error ends the program, unless it is given 0.
#include <error.h>
#include <pthread.h>

static int value;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *argument)
{
    pthread_mutex_lock(&lock);
    value++;
    pthread_mutex_unlock(&lock);
    return argument;
}

int main(int argc, char **argv)
{
    pthread_t a;

    (void)argv;
    pthread_create(&a, 0, work, 0);
    if (argc > 1) {
        error(1, 0, "usage");
        value++;
    }
    work(0);
    pthread_join(a, 0);
    return 0;
}
