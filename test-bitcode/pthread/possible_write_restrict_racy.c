// irkiss: ; expect: race ; forms: nopass
//
// As possible_write_racy.c, with a parameter that is restrict.
#include <pthread.h>

void look(int *restrict place);

static int value;

static void *one(void *unused)
{
    look(&value); // RACE
    return unused;
}

static void *other(void *unused)
{
    value = 1; // RACE
    return unused;
}

int main(void)
{
    pthread_t a, b;

    pthread_create(&a, 0, one, 0);
    pthread_create(&b, 0, other, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
