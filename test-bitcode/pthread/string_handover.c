// irkiss:  ; expect: race+assert ; forms: nopass ; lazy: yes
//
// One thread makes the buffer, another one fills it if it is there
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
static char *name;
static void *maker(void *arg) { name = calloc(8, 1); return arg; } // RACE
static void *filler(void *arg)
{
	if (name) // RACE
		strcpy(name, "Marmot"); // RACE?
	return arg;
}
int main(void)
{
	pthread_t a, b;
	pthread_create(&a, 0, maker, 0);
	pthread_create(&b, 0, filler, 0);
	pthread_join(a, 0);
	pthread_join(b, 0);
	assert(!name || name[0] == 'M'); // ASSERT-FAILS
	return 0;
}
