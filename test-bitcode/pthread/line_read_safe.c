// irkiss: ; expect: none ; forms: nopass ; lazy: yes
//
// As line_read_racy.c, but the line is looked at afterwards.
#include <pthread.h>
#include <stdio.h>

static char line[8];

static void *reads(void *unused)
{
    fgets(line, sizeof line, stdin);
    return unused;
}

int main(void)
{
    pthread_t a;

    pthread_create(&a, 0, reads, 0);
    pthread_join(a, 0);
    line[0] = 'a';
    return 0;
}
