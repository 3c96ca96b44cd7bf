// irkiss: ; expect: none ; lazy: yes
//
// As host_names_racy.c, with a lock.
#include <netdb.h>
#include <pthread.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int count;

static void *work(void *unused)
{
    pthread_mutex_lock(&lock);
    count++; // NORACE
    pthread_mutex_unlock(&lock);
    return unused;
}

static void begin(void)
{
    pthread_t one, other;

    pthread_create(&one, 0, work, 0);
    pthread_create(&other, 0, work, 0);
    pthread_join(one, 0);
    pthread_join(other, 0);
}

int main(void)
{
    struct addrinfo hints, *all, *one;
    int file = -1;

    memset(&hints, 0, sizeof(hints));
    hints.ai_socktype = SOCK_STREAM;
    if (getaddrinfo("localhost", "80", &hints, &all))
        return 1;
    for (one = all; one; one = one->ai_next) {
        if (one->ai_family != AF_INET && one->ai_family != AF_INET6)
            count = 7;
        file = socket(one->ai_family, one->ai_socktype, one->ai_protocol);
        if (file < 0)
            continue;
        if (connect(file, one->ai_addr, one->ai_addrlen) == 0)
            break;
        close(file);
    }
    freeaddrinfo(all);
    if (one)
        begin();
    return 0;
}
