// irkiss: --property uaf --work 400k ; expect: none ; forms: nopass ; lazy: yes
//
// Main frees what three threads work on, and waits for all of them first.
#include <pthread.h>
#include <stdlib.h>

#define ALL 3

struct job {
    pthread_mutex_t lock;
    int left, done;
};

static void *works(void *argument)
{
    struct job *job = argument;

    pthread_mutex_lock(&job->lock);
    while (job->left > 0)
        job->left--;
    job->done++;
    pthread_mutex_unlock(&job->lock);
    return 0;
}

int main(void)
{
    pthread_t all[ALL];
    struct job *job = malloc(sizeof *job);

    if (!job)
        return 1;
    pthread_mutex_init(&job->lock, 0);
    job->left = 4;
    job->done = 0;
    for (int n = 0; n < ALL; n++)
        pthread_create(&all[n], 0, works, job);
    for (int n = 0; n < ALL; n++)
        pthread_join(all[n], 0);
    free(job);
    pthread_exit(0);
}
