// irkiss: ; expect: none
//
// What comes after an object is no number of its elements.
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
    rebalance(&tree, 1); // NORACE
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void *looks(void *unused)
{
    void *root;
    pthread_mutex_lock(&lock);
    root = tree.root; // NORACE
    pthread_mutex_unlock(&lock);
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
