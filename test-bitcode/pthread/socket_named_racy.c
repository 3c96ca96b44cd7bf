// irkiss: ; expect: race ; forms: nopass ; lazy: yes
//
// A connection with a name that the program has given to a socket of its own is there before anything was sent.
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
    if (connect(own, (struct sockaddr *)&name, sizeof name) == 0)
        value = 1; // RACE
    close(own);
    return unused;
}

int main(void)
{
    pthread_t a;
    int listener = socket(AF_INET, SOCK_STREAM, 0), other;

    name.sin_family = AF_INET;
    name.sin_port = htons(4000);
    if (listener < 0 || bind(listener, (struct sockaddr *)&name, sizeof name) != 0 || listen(listener, 1) != 0)
        return 1;
    pthread_create(&a, 0, client, 0);
    other = accept(listener, 0, 0);
    if (other >= 0)
        value = 2; // RACE
    pthread_join(a, 0);
    return 0;
}
