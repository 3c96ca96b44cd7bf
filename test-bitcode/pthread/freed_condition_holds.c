// irkiss: --property uaf --work 400k ; expect: none ; forms: nopass ; lazy: yes
//
// The condition is signalled under the mutex, which the waiter takes before it frees both.
#include <pthread.h>
#include <stdlib.h>

struct request {
    pthread_mutex_t lock;
    pthread_cond_t done;
    int state;
};

static void *serve(void *argument)
{
    struct request *request = argument;

    pthread_mutex_lock(&request->lock);
    request->state = 1;
    pthread_cond_signal(&request->done);
    pthread_mutex_unlock(&request->lock);
    return 0;
}

int main(void)
{
    struct request *request = malloc(sizeof *request);
    pthread_t server;

    if (!request)
        return 1;
    request->state = 0;
    pthread_mutex_init(&request->lock, 0);
    pthread_cond_init(&request->done, 0);
    pthread_create(&server, 0, serve, request);
    pthread_mutex_lock(&request->lock);
    while (request->state == 0)
        pthread_cond_wait(&request->done, &request->lock);
    pthread_mutex_unlock(&request->lock);
    free(request);
    return 0;
}
