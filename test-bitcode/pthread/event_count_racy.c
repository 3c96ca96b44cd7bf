// irkiss: ; expect: race ; forms: nopass ; lazy: yes
//
// eventfd_read gets what eventfd_write has added: what comes after that may come later.
#include <pthread.h>
#include <sys/eventfd.h>

static int value, events;

static void *tells(void *unused)
{
    eventfd_write(events, 1);
    value = 1; // RACE
    return unused;
}

int main(void)
{
    pthread_t a;
    eventfd_t count;

    events = eventfd(0, 0);
    if (events < 0)
        return 1;
    pthread_create(&a, 0, tells, 0);
    if (eventfd_read(events, &count) == 0)
        value = 2; // RACE
    pthread_join(a, 0);
    return 0;
}
