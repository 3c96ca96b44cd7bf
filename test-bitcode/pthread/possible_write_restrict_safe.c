// irkiss: ; expect: none ; forms: nopass
//
// What it is given is const: it reads.
#include <pthread.h>

void look(const int *restrict place);

static int value;

static void *one(void *unused)
{
    look(&value);
    return unused;
}

static void *other(void *unused)
{
    look(&value);
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
