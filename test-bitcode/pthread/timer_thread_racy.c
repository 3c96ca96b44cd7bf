// irkiss: ; expect: race ; lazy: yes
//
// A timer that tells of its end by SIGEV_THREAD runs its function in a thread of its own.
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <time.h>

static int ticks;

static void on_tick(union sigval value)
{
	ticks += value.sival_int; // RACE
}

int main(void)
{
	struct itimerspec time = { { 0, 0 }, { 1, 0 } };
	struct sigevent event;
	timer_t timer;

	memset(&event, 0, sizeof event);
	event.sigev_notify = SIGEV_THREAD;
	event.sigev_notify_function = on_tick;
	event.sigev_value.sival_int = 1;
	if (timer_create(CLOCK_MONOTONIC, &event, &timer))
		return 1;
	timer_settime(timer, 0, &time, NULL);
	ticks++; // RACE
	return timer_delete(timer);
}
