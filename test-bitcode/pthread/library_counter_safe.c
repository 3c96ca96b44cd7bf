// irkiss: ; expect: none ; forms: nopass ; lazy: yes
//
// A library: of two functions that any thread may call, both take the lock.
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int count;

void library_add(int more)
{
    pthread_mutex_lock(&lock);
    count += more; // NORACE
    pthread_mutex_unlock(&lock);
}

int library_get(void)
{
    int now;
    pthread_mutex_lock(&lock);
    now = count; // NORACE
    pthread_mutex_unlock(&lock);
    return now;
}
