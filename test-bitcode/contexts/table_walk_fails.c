// irkiss: --property assert --unwind 2 ; expect: assert ; forms: nopass
//
// Walks along a table to the entry that ends it: its rounds, each of which something else may leave, do not count against --unwind.
#include <assert.h>
#include <pthread.h>

extern int chosen(void);

static const int known[] = { 11, 12, 13, 14, 15, 16, 17, 18, 19, 0 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int found;

static int look_up(int key)
{
    const int *at;

    for (at = known; *at != 0; at++)
        if (*at == key)
            return 1;
    return 0;
}

static void *looks(void *unused)
{
    int here = look_up(chosen());

    pthread_mutex_lock(&lock);
    if (!here)
        found = -1;
    pthread_mutex_unlock(&lock);
    return 0;
}

int main(void)
{
    pthread_t a;

    pthread_create(&a, 0, looks, 0);
    pthread_mutex_lock(&lock);
    assert(found == 0); // ASSERT-FAILS
    pthread_mutex_unlock(&lock);
    return 0;
}
