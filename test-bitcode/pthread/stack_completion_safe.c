// irkiss: ; expect: none
// irkiss: --tier coverability --property race ; expect: none; by: coverability
//
// DESIGN 9.4: an object on the stack of the thread that waits is read after the completion.
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>

struct request {
    sem_t done;
    int result;
};

static void *worker(void *argument)
{
    struct request *request = argument;
    request->result = 5; // NORACE
    sem_post(&request->done);
    return NULL;
}

static int submit(pthread_t *thread)
{
    struct request request;
    int result;
    sem_init(&request.done, 0, 0);
    request.result = 0;
    pthread_create(thread, NULL, worker, &request);
    sem_wait(&request.done);
    result = request.result; // NORACE
    return result;
}

int main(void)
{
    pthread_t thread;
    int result = submit(&thread);
    pthread_join(thread, NULL);
    return result;
}
