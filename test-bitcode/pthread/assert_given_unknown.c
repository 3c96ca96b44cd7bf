// irkiss: --property assert ; expect: unknown ; lazy: yes
//
// What a function without a model does where it is given a pointer, nobody knows: an assertion about that is not said to fail.
#include <assert.h>
#include <pthread.h>

struct stream { int left, room; };
extern int squeeze(struct stream *stream);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int total;

static void *squeezes(void *unused)
{
    struct stream stream = { 4, 4 };

    squeeze(&stream);
    assert(stream.left == 0);
    pthread_mutex_lock(&lock);
    total++;
    pthread_mutex_unlock(&lock);
    return 0;
}

int main(void)
{
    pthread_t a;

    pthread_create(&a, 0, squeezes, 0);
    pthread_mutex_lock(&lock);
    total++;
    pthread_mutex_unlock(&lock);
    return 0;
}
