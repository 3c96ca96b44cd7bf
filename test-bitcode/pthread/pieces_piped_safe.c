// irkiss: --work 400k ; expect: none ; forms: nopass ; lazy: yes
//
// What writev writes to a pipe is what readv waits for: what came before it is over.
#include <pthread.h>
#include <sys/uio.h>
#include <unistd.h>

static int value, ends[2];

static void *tells(void *unused)
{
    struct iovec pieces[2] = {{"ab", 2}, {"c", 1}};

    value = 1;
    writev(ends[1], pieces, 2);
    return unused;
}

int main(void)
{
    pthread_t a;
    char bytes[3];
    struct iovec pieces[2] = {{bytes, 1}, {bytes + 1, 2}};

    if (pipe(ends) != 0)
        return 1;
    pthread_create(&a, 0, tells, 0);
    if (readv(ends[0], pieces, 2) == 3 && bytes[2] == 'c')
        value = 2;
    pthread_join(a, 0);
    return 0;
}
