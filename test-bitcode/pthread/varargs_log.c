// irkiss: ; expect: race
// a log function with variable arguments writes into one shared line
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
static char line[64];
static int lines;
static void note(const char *format, ...)
{
	va_list rest;
	va_start(rest, format);
	vsnprintf(line, sizeof line, format, rest); // RACE?
	va_end(rest);
	lines++; // RACE
}
static void *talk(void *arg)
{
	note("%d %s", 1, "x");
	return arg;
}
int main(void)
{
	pthread_t a, b;
	pthread_create(&a, 0, talk, 0);
	pthread_create(&b, 0, talk, 0);
	pthread_join(a, 0);
	pthread_join(b, 0);
	puts(line); // RACE?
	return 0;
}
