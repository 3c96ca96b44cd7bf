// irkiss: --work 400k ; expect: race ; forms: nopass ; lazy: yes
//
// Two threads have a group of users put into one object.
#define _GNU_SOURCE
#include <pthread.h>
#include <grp.h>
#include <stddef.h>

static struct group group;
static __thread struct group *found;
static __thread char text[64];

static void *work(void *argument)
{
    getgrnam_r("root", &group, text, sizeof text, &found); // RACE
    return argument;
}

int main(void)
{
    pthread_t a, b;

    pthread_create(&a, 0, work, 0);
    pthread_create(&b, 0, work, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
