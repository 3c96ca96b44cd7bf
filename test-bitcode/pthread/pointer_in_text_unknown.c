// irkiss: ; expect: unknown ; reason: unknown origin
// An address goes to another thread as text: what is read and written there is memory of which nothing tells whose it is.
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char text[32];
int full, counter;

static void *sends(void *arg)
{
    pthread_mutex_lock(&lock);
    snprintf(text, sizeof text, "%p", (void *)&counter);
    full = 1;
    pthread_mutex_unlock(&lock);
    counter = 1;
    return NULL;
}

int main(void)
{
    pthread_t thread;
    void *found = NULL;
    int result = 0;
    pthread_create(&thread, NULL, sends, NULL);
    pthread_mutex_lock(&lock);
    if (full)
        sscanf(text, "%p", &found);
    pthread_mutex_unlock(&lock);
    if (found)
        result = *(int *)found;
    pthread_join(thread, NULL);
    return result;
}
