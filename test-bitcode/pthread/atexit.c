// irkiss:  ; expect: race ; forms: nopass ; lazy: yes
//
// A report is printed at exit while a thread still counts
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
static long lines;
static void report(void) { printf("%ld\n", lines); } // RACE
static void *reader(void *arg)
{
	lines++; // RACE
	return arg;
}
int main(void)
{
	pthread_t t;
	atexit(report);
	pthread_create(&t, 0, reader, 0);
	return 0;
}
