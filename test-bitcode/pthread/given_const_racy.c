// irkiss: ; expect: race ; lazy: yes
//
// A function without a model may read what it is given as const.
#include <pthread.h>

struct pair { int a, b; };
extern long lib_sum(const struct pair *pair);
static struct pair pair;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *other(void *unused)
{
    lib_sum(&pair); // RACE
    return 0;
}

int main(void)
{
    pthread_t t;
    if (pthread_create(&t, 0, other, 0))
        return 1;
    pair.b = 1; // RACE
    pthread_join(t, 0);
    return 0;
}
