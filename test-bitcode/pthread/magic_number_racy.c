// irkiss: --tier runs ; expect: race ; lazy: yes
//
// A file is read into a struct, whose numbers are compared whole: four bytes of a magic number, and two with the highest first.
#include <arpa/inet.h>
#include <pthread.h>
#include <stdint.h>
#include <unistd.h>

struct header {
    uint32_t magic;
    uint16_t version, unused;
    uint64_t length;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int count;

static void *work(void *unused)
{
    count++; // RACE
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
    struct header header;

    if (read(0, &header, sizeof(header)) != sizeof(header))
        return 1;
    if (header.magic != 0x184d2204 || ntohs(header.version) != 0x102)
        return 2;
    if (header.length > 1 << 20 && header.length < 1 << 21)
        begin();
    return 0;
}
