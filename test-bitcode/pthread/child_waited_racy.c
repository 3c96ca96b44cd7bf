// irkiss: ; expect: race ; forms: nopass ; lazy: yes
//
// waitpid of one child tells that one, unless it fails.
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

static int value;

static void *works(void *unused)
{
    value = 1; // RACE
    return unused;
}

int main(void)
{
    pthread_t a;
    int child = fork(), status, ended;

    if (child <= 0)
        return 1;
    ended = waitpid(child, &status, 0);
    pthread_create(&a, 0, works, 0);
    if (ended > 0 && ended == child)
        value = 2; // RACE
    pthread_join(a, 0);
    return 0;
}
