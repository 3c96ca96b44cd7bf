// irkiss:  ; expect: race ; forms: nopass ; lazy: yes
//
// A handler for ctrl-c sets a flag, as programs do; two workers count without a lock
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>
static volatile sig_atomic_t stop;
static long jobs;
static void on_signal(int number) { (void)number; stop = 1; }
static void *worker(void *arg)
{
	while (!stop) {
		jobs++; // RACE
		usleep(10);
	}
	return arg;
}
int main(void)
{
	pthread_t a, b;
	signal(SIGINT, on_signal);
	signal(SIGPIPE, SIG_IGN);
	pthread_create(&a, 0, worker, 0);
	pthread_create(&b, 0, worker, 0);
	pthread_join(a, 0);
	pthread_join(b, 0);
	printf("%ld\n", jobs);
	return 0;
}
