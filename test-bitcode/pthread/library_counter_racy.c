// irkiss: ; expect: race ; forms: nopass ; lazy: yes
//
// A library: of two functions that any thread may call, one takes the lock.
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int count;

void library_add(int more)
{
    count += more; // RACE
}

int library_get(void)
{
    int now;
    pthread_mutex_lock(&lock);
    now = count; // RACE
    pthread_mutex_unlock(&lock);
    return now;
}
