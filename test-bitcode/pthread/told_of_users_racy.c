// irkiss: --work 400k ; expect: race ; forms: nopass ; lazy: yes
//
// What is told of users and groups is written where the caller says.
#define _GNU_SOURCE
#include <grp.h>
#include <pthread.h>
#include <pwd.h>

static struct passwd user0, user1;
static struct group group0, group1;
static __thread struct passwd *user;
static __thread struct group *group;
static __thread char text[16];

static void *work(void *argument)
{
    getpwnam_r("root", &user0, text, sizeof text, &user); // RACE
    getpwuid_r(0, &user1, text, sizeof text, &user); // RACE
    getgrnam_r("root", &group0, text, sizeof text, &group); // RACE?
    getgrgid_r(0, &group1, text, sizeof text, &group); // RACE
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
