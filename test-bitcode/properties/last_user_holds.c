// irkiss: --property uaf --work 400k ; expect: none
//
// As last_user_fails.c, but the mutex is given back before.
#include <pthread.h>
#include <stdlib.h>

struct job { pthread_mutex_t lock; int users; };

static void put(struct job *job)
{
	int last;

	pthread_mutex_lock(&job->lock);
	last = --job->users == 0;
	pthread_mutex_unlock(&job->lock);
	if (last)
		free(job);
}

static void *worker(void *job)
{
	put(job);
	return NULL;
}

int main(void)
{
	pthread_t thread;
	struct job *job = malloc(sizeof(*job));

	if (!job)
		return 1;
	pthread_mutex_init(&job->lock, NULL);
	job->users = 2;
	if (pthread_create(&thread, NULL, worker, job))
		return 1;
	put(job);
	pthread_join(thread, NULL);
	return 0;
}
