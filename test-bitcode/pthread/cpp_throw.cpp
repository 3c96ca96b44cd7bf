// irkiss: ; expect: unknown ; forms: nopass ; lazy: yes ; reason: exception
//
// What is behind a throw is not followed, and that is said: here the handler races.
#include <pthread.h>

static int count;

static void check(int n)
{
    if (n > 3)
        throw 1;
}

static void *work(void *unused)
{
    try {
        check(5);
    } catch (int) {
        count++;
    }
    return unused;
}

int main()
{
    pthread_t a, b;
    pthread_create(&a, 0, work, 0);
    pthread_create(&b, 0, work, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
