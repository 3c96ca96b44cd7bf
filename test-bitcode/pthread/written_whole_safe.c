// irkiss: ; expect: none ; lazy: yes
//
// As written_whole_racy.c, with a lock.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static char text[] = "a text that is longer than a few bytes";

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

static void all(int file, const char *from, size_t bytes)
{
    while (bytes > 0) {
        ssize_t done = write(file, from, bytes);
        if (done < 0)
            exit(1);
        from += done;
        bytes -= done;
    }
}

int main(void)
{
    FILE *file = fopen("numbers", "w");
    int child;

    if (!file)
        return 1;
    if (fwrite(text, 1, sizeof(text), file) != sizeof(text))
        return 2;
    fclose(file);
    all(1, text, sizeof(text));
    child = fork();
    if (child <= 0)
        return 3;
    begin();
    return 0;
}
