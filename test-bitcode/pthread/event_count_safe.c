// irkiss: ; expect: none ; forms: nopass ; lazy: yes
//
// As event_count_racy.c, but it is stored before that.
#include <pthread.h>
#include <sys/eventfd.h>

static int value, events;

static void *tells(void *unused)
{
    value = 1;
    eventfd_write(events, 1);
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
        value = 2;
    pthread_join(a, 0);
    return 0;
}
