// irkiss: ; expect: race
//
// As outside_members_safe.c, but the other thread looks without the lock.
#include <pthread.h>

struct tree {
    int color;
    void *root;
};
static struct tree tree;
extern void rebalance(struct tree *, int);
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *changes(void *unused)
{
    pthread_mutex_lock(&lock);
    rebalance(&tree, 1); // RACE
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void *looks(void *unused)
{
    void *root;
    root = tree.root; // RACE
    return root;
}

int main(void)
{
    pthread_t one, two;
    if (pthread_create(&one, NULL, changes, NULL) || pthread_create(&two, NULL, looks, NULL))
        return 1;
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
