// irkiss: --property uaf ; expect: uaf ; forms: nopass ; lazy: yes
//
// The request is freed by the first who looks: the one who is done posts a semaphore, signals a condition, in what is gone.
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
    sem_post(&request->done); // FREED
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
    if (__atomic_load_n(&request->state, __ATOMIC_SEQ_CST) == 0)
        sem_wait(&request->done);
    free(request);
    return 0;
}
