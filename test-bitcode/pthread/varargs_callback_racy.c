// irkiss: ; expect: race ; forms: nopass
//
// A function with variable arguments is called through a pointer.
#include <pthread.h>
#include <stdarg.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int level;

static void set_level(const char *name, ...)
{
    va_list list;
    va_start(list, name);
    int new = va_arg(list, int);
    va_end(list);
    level = new; // RACE
}

static void (*volatile report)(const char *, ...) = set_level;

static void *worker(void *unused)
{
    report("level", 3);
    return unused;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, worker, 0);
    pthread_create(&b, 0, worker, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
