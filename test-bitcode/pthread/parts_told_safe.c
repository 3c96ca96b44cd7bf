// irkiss: ; expect: none ; forms: nopass, o0 ; lazy: yes
//
// Who asks for the parts of the program in memory has each told by a call, here under a lock.
#define _GNU_SOURCE
#include <link.h>
#include <pthread.h>

static int parts;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int told(struct dl_phdr_info *part, size_t bytes, void *count)
{
    (void)part, (void)bytes;
    ++*(int *)count;
    return 0;
}

static void *work(void *argument)
{
    pthread_mutex_lock(&lock);
    dl_iterate_phdr(told, &parts);
    pthread_mutex_unlock(&lock);
    return argument;
}

int main(void)
{
    pthread_t a, b;

    pthread_create(&a, 0, work, 0);
    pthread_create(&b, 0, work, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
