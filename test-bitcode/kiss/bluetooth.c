// irkiss: --ts 0 ; expect: race
// irkiss: --ts 0 --property assert ; expect: none
// irkiss: --ts 1 --property assert ; expect: assert ; golden: yes
// irkiss: --ts 1 --property race ; expect: race
//
// KISS, figure 2: the Bluetooth driver as the paper has it. Section 2.2: without a multiset (ts 0) the race on stoppingFlag
// is found; section 2.3: the assertion fails with ts 1 and not with ts 0.
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
    if (e->stoppingFlag) // RACE
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
        e->stoppingEvent = true; // RACE@4
}

static void BCSP_PnpAdd(struct device_extension *e)
{
    int status = BCSP_IoIncrement(e);
    if (status == 0) {
        // do work here
        irkiss_assert(!stopped); // ASSERT-FAILS RACE@4
    }
    BCSP_IoDecrement(e);
}

static void BCSP_PnpStop(void *argument)
{
    struct device_extension *e = argument;
    e->stoppingFlag = true; // RACE
    BCSP_IoDecrement(e);
    irkiss_assume(e->stoppingEvent); // RACE?@4
    // release allocated resources
    stopped = true; // RACE@4
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
