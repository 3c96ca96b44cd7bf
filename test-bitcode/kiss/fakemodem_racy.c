// irkiss: ; expect: race
//
// KISS, section 6: OpenCount is incremented under a lock; one decision rests on a read without it. (Benign, says the
// paper: the read is atomic on the machine. It is a race all the same; the report may hint at it.)
#include <pthread.h>

struct device_extension {
    pthread_mutex_t lock;
    int OpenCount;
    _Atomic int powered;
};

struct device_extension device = { .lock = PTHREAD_MUTEX_INITIALIZER };

static void FakeModem_Create(void)
{
    pthread_mutex_lock(&device.lock);
    device.OpenCount++; // RACE
    pthread_mutex_unlock(&device.lock);
}

static void FakeModem_PowerDown(void)
{
    int users;
    users = device.OpenCount; // RACE
    if (users == 0)
        device.powered = 0;
}

static void *create(void *unused)
{
    FakeModem_Create();
    return unused;
}

int main(void)
{
    pthread_t a;
    device.powered = 1;
    pthread_create(&a, NULL, create, NULL);
    FakeModem_PowerDown();
    pthread_join(a, NULL);
    return 0;
}
