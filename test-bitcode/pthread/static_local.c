// irkiss:  ; expect: race ; forms: nopass ; lazy: yes
//
// Identifiers come from a static local variable
#include <pthread.h>
static int fresh(void)
{
	static int last;
	return ++last; // RACE
}
static void *user(void *arg) { return fresh() > 0 ? arg : 0; }
int main(void)
{
	pthread_t a, b;
	pthread_create(&a, 0, user, 0);
	pthread_create(&b, 0, user, 0);
	pthread_join(a, 0);
	pthread_join(b, 0);
	return 0;
}
