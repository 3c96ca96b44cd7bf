// irkiss:  ; expect: race ; forms: nopass ; lazy: yes
//
// Both threads get the address of one local variable of main
#include <pthread.h>
static void *four(void *p) { *(int *)p = 4; return 0; } // RACE
static void *two(void *p) { *(int *)p = 2; return 0; } // RACE
int main(void)
{
	pthread_t a, b;
	int value = 0;
	pthread_create(&a, 0, four, &value);
	pthread_create(&b, 0, two, &value);
	pthread_join(a, 0);
	pthread_join(b, 0);
	return value;
}
