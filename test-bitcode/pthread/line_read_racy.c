// irkiss: ; expect: race ; forms: nopass ; lazy: yes
//
// fgets writes the line that it reads.
#include <pthread.h>
#include <stdio.h>

static char line[8];

static void *reads(void *unused)
{
    fgets(line, sizeof line, stdin); // RACE
    return unused;
}

int main(void)
{
    pthread_t a;

    pthread_create(&a, 0, reads, 0);
    line[0] = 'a'; // RACE
    pthread_join(a, 0);
    return 0;
}
