// irkiss: --property race,assert ; expect: race+assert ; forms: nopass
// which of two pots is meant depends on a variable that nobody sets: it may be the pot that the thief empties under the other lock
#include <assert.h>
#include <pthread.h>

struct pot {
    pthread_mutex_t lock;
    int coins;
};
static struct pot left = { PTHREAD_MUTEX_INITIALIZER, 0 };
static struct pot right = { PTHREAD_MUTEX_INITIALIZER, 0 };

static void *thief(void *unused)
{
    pthread_mutex_lock(&right.lock);
    left.coins = 7; // RACE
    pthread_mutex_unlock(&right.lock);
    return unused;
}

int main(void)
{
    pthread_t t;
    int choice;
    struct pot *mine = choice ? &left : &right;
    pthread_create(&t, 0, thief, 0);
    pthread_mutex_lock(&mine->lock);
    mine->coins = 1; // RACE?
    if (mine->coins != 1) // RACE?
        assert(0); // ASSERT-FAILS
    pthread_mutex_unlock(&mine->lock);
    pthread_join(t, 0);
    return 0;
}
