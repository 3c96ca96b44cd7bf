// irkiss: ; expect: none ; forms: nopass ; lazy: yes
//
// What a stream has written into memory is told when it is flushed: nobody looks before.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static FILE *stream;
static char *text;
static size_t length;

static void *prints(void *unused)
{
    fprintf(stream, "%d", 1);
    fflush(stream);
    return unused;
}

int main(void)
{
    pthread_t a;
    size_t seen;

    stream = open_memstream(&text, &length);
    if (!stream || pthread_create(&a, 0, prints, 0) != 0)
        return 1;
    pthread_join(a, 0);
    seen = length;
    fclose(stream);
    free(text);
    return seen != 0;
}
