// irkiss: ; expect: none ; lazy: yes
//
// As large_table_racy.c, with a lock.
#include <pthread.h>
#include <unistd.h>

#define ENTRIES 20000
static struct entry {
    unsigned key;
    struct entry *next;
} table[ENTRIES];

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int count;

static void *work(void *unused)
{
    pthread_mutex_lock(&lock);
    count++; // NORACE
    pthread_mutex_unlock(&lock);
    return unused;
}

static void begin(void)
{
    pthread_t one, other;

    pthread_create(&one, 0, work, 0);
    pthread_create(&other, 0, work, 0);
    pthread_join(one, 0);
    pthread_join(other, 0);
}

int main(void)
{
    unsigned n;
    char byte;

    for (n = 0; n < ENTRIES; n++) {
        table[n].key = n * 7;
        table[n].next = &table[n];
    }
    if (read(0, &byte, 1) == 1 && byte == 'g')
        begin();
    return 0;
}
