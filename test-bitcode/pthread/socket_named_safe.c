// irkiss: --work 400k ; expect: none ; forms: nopass ; lazy: yes
//
// Who connects to a name that the program has given to a socket of its own sends what accept and read wait for.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static struct sockaddr_in name;
static int value;

static void *client(void *unused)
{
    int own = socket(AF_INET, SOCK_STREAM, 0);

    if (own < 0)
        return unused;
    value = 1;
    if (connect(own, (struct sockaddr *)&name, sizeof name) == 0)
        write(own, "a", 1);
    close(own);
    return unused;
}

int main(void)
{
    pthread_t a;
    char byte;
    int listener = socket(AF_INET, SOCK_STREAM, 0), other;

    name.sin_family = AF_INET;
    name.sin_port = htons(4000);
    if (listener < 0 || bind(listener, (struct sockaddr *)&name, sizeof name) != 0 || listen(listener, 1) != 0)
        return 1;
    pthread_create(&a, 0, client, 0);
    other = accept(listener, 0, 0);
    if (other >= 0 && read(other, &byte, 1) == 1)
        value = 2;
    pthread_join(a, 0);
    return 0;
}
