// irkiss: ; expect: none
//
// KISS, figure 6: DevicePnPState is accessed under the remove lock everywhere.
#include <pthread.h>
#include <stdlib.h>

enum { NotStarted, Started, StopPending, Deleted };
enum { STATUS_SUCCESS = 0, STATUS_DELETE_PENDING = -1 };

struct device_extension {
    pthread_mutex_t RemoveLock;
    int DevicePnPState;
};

static int ToastMon_DispatchPnp(struct device_extension *extension)
{
    pthread_mutex_lock(&extension->RemoveLock);
    extension->DevicePnPState = StopPending; // NORACE
    pthread_mutex_unlock(&extension->RemoveLock);
    return STATUS_SUCCESS;
}

static int ToastMon_DispatchPower(struct device_extension *extension)
{
    int status = STATUS_SUCCESS;
    pthread_mutex_lock(&extension->RemoveLock);
    if (extension->DevicePnPState == Deleted) // NORACE
        status = STATUS_DELETE_PENDING;
    pthread_mutex_unlock(&extension->RemoveLock);
    return status;
}

static void *pnp(void *argument)
{
    ToastMon_DispatchPnp(argument);
    return NULL;
}

static void *power(void *argument)
{
    return (void *)(long)ToastMon_DispatchPower(argument);
}

int main(void)
{
    struct device_extension *extension = malloc(sizeof *extension);
    pthread_t a, b;
    pthread_mutex_init(&extension->RemoveLock, NULL);
    extension->DevicePnPState = Started;
    pthread_create(&a, NULL, pnp, extension);
    pthread_create(&b, NULL, power, extension);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
