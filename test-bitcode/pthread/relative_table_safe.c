// irkiss: ; expect: none
//
// As relative_table_racy.c; no text has that letter there.
#include <pthread.h>

static const char *const names[] = { "one", "two", "three", "four" };
static int shared;

static void *work(void *argument)
{
    unsigned which = (unsigned)(unsigned long)argument;

    if (names[which & 3][1] == 'x')
        shared++;
    return 0;
}

int main(int count, char **arguments)
{
    pthread_t one, other;

    (void)arguments;
    pthread_create(&one, 0, work, (void *)(unsigned long)count);
    pthread_create(&other, 0, work, (void *)2ul);
    pthread_join(one, 0);
    pthread_join(other, 0);
    return 0;
}
