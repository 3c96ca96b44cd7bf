// irkiss: --ts 0 ; expect: race ; forms: nopass ; lazy: yes
//
// Ten threads write one variable: two of them are enough to race
#include <pthread.h>

static int last;

static void *writer(void *unused)
{
    last = 42; // RACE
    return unused;
}

int main(void)
{
    pthread_t t[10];
    for (int i = 0; i < 10; i++)
        pthread_create(&t[i], 0, writer, 0);
    for (int i = 0; i < 10; i++)
        pthread_join(t[i], 0);
    return 0;
}
