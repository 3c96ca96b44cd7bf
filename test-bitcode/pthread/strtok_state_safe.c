// irkiss: ; expect: none ; forms: nopass ; lazy: yes
//
// Each thread remembers by itself where it goes on.
#include <pthread.h>
#include <string.h>

static char left[8] = "a b", right[8] = "c,d";
static int found[2];

static void *one(void *unused)
{
    char *next;
    found[0] = strtok_r(left, " ", &next) != 0;
    return unused;
}

static void *other(void *unused)
{
    char *next;
    found[1] = strtok_r(right, ",", &next) != 0;
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
