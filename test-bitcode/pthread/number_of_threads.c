// irkiss: --ts 0 ; expect: race ; forms: nopass ; lazy: yes
//
// A number of workers that comes from outside; main looks at the total when it has waited for all of them but the last
#include <pthread.h>
#include <stdlib.h>

int __VERIFIER_nondet_int(void);

static int total;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *worker(void *unused)
{
    pthread_mutex_lock(&lock);
    total++; // RACE
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    int n = __VERIFIER_nondet_int();
    if (n < 1)
        return 0;
    pthread_t *t = malloc(n * sizeof(pthread_t));
    if (!t)
        return 0;
    for (int i = 0; i < n; i++)
        pthread_create(&t[i], 0, worker, 0);
    for (int i = 0; i < n - 1; i++)
        pthread_join(t[i], 0);
    total++; // RACE
    free(t);
    return 0;
}
