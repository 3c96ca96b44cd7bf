// irkiss: ; expect: none ; forms: nopass ; lazy: yes
//
// waitpid of one child tells no other one.
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

static int value;

static void *works(void *unused)
{
    value = 1;
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
    if (ended > 0 && ended != child)
        value = 2;
    pthread_join(a, 0);
    return 0;
}
