// irkiss: ; expect: none ; forms: nopass ; lazy: yes
//
// Each thread has a stream of its own.
#include <pthread.h>
#include <dirent.h>

static int first[2];

static int look(void)
{
    DIR *stream = opendir(".");
    struct dirent *entry = stream ? readdir(stream) : 0;
    int found = entry ? entry->d_name[0] : 0;

    if (stream)
        closedir(stream);
    return found;
}

static void *one(void *unused)
{
    first[0] = look();
    return unused;
}

static void *other(void *unused)
{
    first[1] = look();
    return unused;
}

int main(void)
{
    pthread_t a, b;

    pthread_create(&a, 0, one, 0);
    pthread_create(&b, 0, other, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
