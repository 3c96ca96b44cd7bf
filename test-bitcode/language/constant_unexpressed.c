// irkiss: ; expect: unknown; reason: constant ; forms: nopass
/* The difference of two labels is a constant that only the assembler knows. What rests on it is not decided: read as
 * zero, the assertion would seem to hold. */
#include <assert.h>
#include <pthread.h>

static int distance(int which)
{
    static const int table[] = {&&far - &&near, 4};
    int value = table[which];
    if (which > 1)
        goto *(&&near + value);
near:
    return value;
far:
    return value + 1;
}

static void *thread(void *arg)
{
    (void)arg;
    assert(distance(0) == 0);
    return 0;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, thread, 0);
    pthread_join(t, 0);
    return 0;
}
