// irkiss: --property uaf --work 400k ; expect: none ; forms: nopass ; lazy: yes
//
// The request is freed when the semaphore in it has been posted.
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>

struct request {
    sem_t done;
    int state;
};

static void *serve(void *argument)
{
    struct request *request = argument;

    __atomic_store_n(&request->state, 1, __ATOMIC_SEQ_CST);
    sem_post(&request->done);
    return 0;
}

int main(void)
{
    struct request *request = malloc(sizeof *request);
    pthread_t server;

    if (!request)
        return 1;
    request->state = 0;
    sem_init(&request->done, 0, 0);
    pthread_create(&server, 0, serve, request);

    sem_wait(&request->done);
    free(request);
    return 0;
}
