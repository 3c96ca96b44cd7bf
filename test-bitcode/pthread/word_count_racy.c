// irkiss: --work 400k ; expect: race ; forms: o2 ; lazy: yes
//
// Two threads come to the counter only if there are two files with words in them: runs find arguments and lines that do.
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static int words, lines;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *name)
{
    FILE *file = fopen(name, "r");
    char line[256];

    if (!file)
        return 0;
    while (fgets(line, sizeof line, file)) {
        pthread_mutex_lock(&lock);
        lines++;
        pthread_mutex_unlock(&lock);
        if (line[0] == '#')
            words++; // RACE
    }
    fclose(file);
    return 0;
}

int main(int count, char **arguments)
{
    pthread_t threads[8];
    int made = 0;

    for (int i = 1; i < count && made < 8; i++)
        pthread_create(&threads[made++], 0, work, arguments[i]);
    for (int i = 0; i < made; i++)
        pthread_join(threads[i], 0);
    return words + lines;
}
