// irkiss: ; expect: none ; forms: nopass ; lazy: yes
//
// select tells that there is something to read, which was written before.
#include <pthread.h>
#include <sys/select.h>
#include <unistd.h>

static int value, ends[2];

static void *tells(void *unused)
{
    value = 1;
    write(ends[1], "a", 1);
    return unused;
}

int main(void)
{
    pthread_t a;
    fd_set files;

    if (pipe(ends) != 0)
        return 1;
    FD_ZERO(&files);
    FD_SET(ends[0], &files);
    pthread_create(&a, 0, tells, 0);
    if (select(ends[0] + 1, &files, 0, 0, 0) == 1 && FD_ISSET(ends[0], &files))
        value = 2;
    pthread_join(a, 0);
    return 0;
}
