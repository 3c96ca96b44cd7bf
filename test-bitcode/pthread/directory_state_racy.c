// irkiss: ; expect: race ; forms: nopass ; lazy: yes
//
// What readdir gives lies in the stream, where the next call overwrites it.
#include <pthread.h>
#include <dirent.h>

static DIR *stream;
static int first;

static void *one(void *unused)
{
    struct dirent *entry = readdir(stream);
    if (entry)
        first = entry->d_name[0]; // RACE
    return unused;
}

static void *other(void *unused)
{
    readdir(stream); // RACE
    return unused;
}

int main(void)
{
    pthread_t a, b;
    stream = opendir(".");
    if (!stream)
        return 1;
    pthread_create(&a, 0, one, 0);
    pthread_create(&b, 0, other, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
