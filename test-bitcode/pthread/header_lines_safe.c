// irkiss: ; expect: none ; lazy: yes
//
// As header_lines_racy.c, with a lock.
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static char header[512];

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
    int status = 0;
    char *end = header;

    for (;;) {
        if (end == header + sizeof(header) - 1 || read(0, end, 1) <= 0)
            return 1;
        if (*end == '\n' && end > header && end[-1] == '\n')
            break;
        end++;
    }
    *end = 0;
    if (sscanf(header, "%*s %i", &status) != 1)
        return 2;
    if (status / 100 == 2)
        begin();
    return 0;
}
