// irkiss: ; expect: race ; forms: nopass ; lazy: yes
//
// What functions that look at files tell is written where the caller says.
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>

static struct stat file0, file1, file2;
static char made0[] = "/tmp/XXXXXX", made1[] = "/tmp/XXXXXX";

static void *work(void *argument)
{
    stat("/a", &file0); // RACE
    lstat("/a", &file1); // RACE
    fstatat(3, "a", &file2, 0); // RACE
    mkostemp(made0, 0); // RACE
    mkdtemp(made1); // RACE
    return argument;
}

int main(void)
{
    pthread_t a, b;

    pthread_create(&a, 0, work, 0);
    pthread_create(&b, 0, work, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
