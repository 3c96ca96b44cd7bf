// irkiss: ; expect: none
//
// KISS, section 6: OpenCount is incremented under a lock; so is every read.
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
    device.OpenCount++; // NORACE
    pthread_mutex_unlock(&device.lock);
}

static void FakeModem_PowerDown(void)
{
    int users;
    pthread_mutex_lock(&device.lock);
    users = device.OpenCount; // NORACE
    pthread_mutex_unlock(&device.lock);
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
