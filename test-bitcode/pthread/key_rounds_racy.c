// irkiss: ; expect: race ; forms: nopass ; lazy: yes
//
// The destructor of one key makes another's value anew, which is given back in a second round.
#include <pthread.h>
#include <stdlib.h>

static pthread_key_t buffer, session;
static int given_back;

static void drop_buffer(void *p)
{
    given_back++; // RACE
    free(p);
}

static void end_session(void *p) { (void)p; pthread_setspecific(buffer, malloc(16)); }

static void *work(void *argument)
{
    pthread_setspecific(session, argument);
    return argument;
}

int main(void)
{
    pthread_t a, b;
    int x, y;

    pthread_key_create(&buffer, drop_buffer);
    pthread_key_create(&session, end_session);
    pthread_create(&a, 0, work, &x);
    pthread_create(&b, 0, work, &y);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
