// irkiss:  ; expect: none ; forms: nopass ; lazy: yes
//
// A library without main: its initialiser runs by pthread_once only, whoever calls
#include <pthread.h>
static pthread_once_t made = PTHREAD_ONCE_INIT;
static int (*chosen)(int);
static int twice(int x) { return 2 * x; }
static void init(void) { chosen = twice; }
int lib_apply(int x)
{
	pthread_once(&made, init);
	return chosen(x);
}
