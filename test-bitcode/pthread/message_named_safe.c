// irkiss: --work 400k ; expect: none ; forms: nopass ; lazy: yes
//
// A message to the name of another socket of the program is what recv waits for there.
#include <pthread.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static struct sockaddr_un name = {AF_UNIX, "/run/a"}, elsewhere = {AF_UNIX, "/run/b"};
static int value;

static void *sends(void *unused)
{
    int own = socket(AF_UNIX, SOCK_DGRAM, 0);

    if (own < 0)
        return unused;
    sendto(own, "a", 1, 0, (struct sockaddr *)&elsewhere, sizeof elsewhere);
    value = 1;
    sendto(own, "b", 1, 0, (struct sockaddr *)&name, sizeof name);
    return unused;
}

int main(void)
{
    pthread_t a;
    char byte;
    int here = socket(AF_UNIX, SOCK_DGRAM, 0), there = socket(AF_UNIX, SOCK_DGRAM, 0);

    if (here < 0 || there < 0)
        return 1;
    if (bind(here, (struct sockaddr *)&name, sizeof name) != 0 || bind(there, (struct sockaddr *)&elsewhere, sizeof elsewhere) != 0)
        return 1;
    pthread_create(&a, 0, sends, 0);
    if (recv(here, &byte, 1, 0) == 1)
        value = 2;
    pthread_join(a, 0);
    return 0;
}
