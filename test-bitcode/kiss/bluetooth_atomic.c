// irkiss: --ts 1 --property race ; expect: none
// irkiss: --ts 1 --property assert ; expect: assert
//
// Atomic flags: nothing races, and the reference count is as wrong as before.
#include <irkiss.h>
#include <stdbool.h>
#include <stdlib.h>

struct device_extension {
    int pendingIo;
    _Atomic bool stoppingFlag;
    _Atomic bool stoppingEvent;
};

_Atomic bool stopped;

static int BCSP_IoIncrement(struct device_extension *e)
{
    if (e->stoppingFlag) // NORACE
        return -1;
    irkiss_atomic(e->pendingIo = e->pendingIo + 1);
    return 0;
}

static void BCSP_IoDecrement(struct device_extension *e)
{
    int pendingIo;
    irkiss_atomic({
        e->pendingIo = e->pendingIo - 1;
        pendingIo = e->pendingIo;
    });
    if (pendingIo == 0)
        e->stoppingEvent = true;
}

static void BCSP_PnpAdd(struct device_extension *e)
{
    int status = BCSP_IoIncrement(e);
    if (status == 0) {
        // do work here
        irkiss_assert(!stopped); // ASSERT-FAILS
    }
    BCSP_IoDecrement(e);
}

static void BCSP_PnpStop(void *argument)
{
    struct device_extension *e = argument;
    e->stoppingFlag = true; // NORACE
    BCSP_IoDecrement(e);
    irkiss_assume(e->stoppingEvent);
    // release allocated resources
    stopped = true; // NORACE
}

int main(void)
{
    struct device_extension *e = malloc(sizeof *e);
    e->pendingIo = 1;
    e->stoppingFlag = false;
    e->stoppingEvent = false;
    stopped = false;
    irkiss_async(BCSP_PnpStop, e);
    BCSP_PnpAdd(e);
    return 0;
}
