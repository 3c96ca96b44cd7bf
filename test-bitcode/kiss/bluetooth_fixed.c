// irkiss: --ts 1 --property assert ; expect: none
// irkiss: --ts 2 --property assert ; expect: none
// irkiss: --ts 0 ; expect: race
//
// The fix of section 6: the count is incremented before the flag is read. The assertion holds; the plain flags still race:
// stoppingEvent is written a second time when BCSP_PnpAdd comes after the event.
#include <irkiss.h>
#include <stdbool.h>
#include <stdlib.h>

struct device_extension {
    int pendingIo;
    bool stoppingFlag;
    bool stoppingEvent;
};

bool stopped;

static int BCSP_IoIncrement(struct device_extension *e)
{
    irkiss_atomic(e->pendingIo = e->pendingIo + 1);
    if (e->stoppingFlag) // RACE
        return -1;
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
        e->stoppingEvent = true; // RACE
}

static void BCSP_PnpAdd(struct device_extension *e)
{
    int status = BCSP_IoIncrement(e);
    if (status == 0) {
        // do work here
        irkiss_assert(!stopped);
    }
    BCSP_IoDecrement(e);
}

static void BCSP_PnpStop(void *argument)
{
    struct device_extension *e = argument;
    e->stoppingFlag = true; // RACE
    BCSP_IoDecrement(e);
    irkiss_assume(e->stoppingEvent); // RACE?
    // release allocated resources
    stopped = true;
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
