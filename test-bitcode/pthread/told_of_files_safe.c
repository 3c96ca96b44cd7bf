// irkiss: ; expect: none ; forms: nopass ; lazy: yes
//
// What functions that look at files tell is written where the caller says: one thread at a time has it told.
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>

static struct stat file0, file1, file2;
static char made0[] = "/tmp/XXXXXX", made1[] = "/tmp/XXXXXX";
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *argument)
{
    pthread_mutex_lock(&lock);
    stat("/a", &file0);
    lstat("/a", &file1);
    fstatat(3, "a", &file2, 0);
    mkostemp(made0, 0);
    mkdtemp(made1);
    pthread_mutex_unlock(&lock);
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
