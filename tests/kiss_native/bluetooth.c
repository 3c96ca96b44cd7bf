/* Figure 2 of the KISS paper: the simplified model of the Bluetooth driver. */
#include <irkiss.h>

struct device_extension {
    int pendingIo;
    _Bool stoppingFlag;
    _Bool stoppingEvent;
};

_Bool stopped;

void *__irkiss_alloc(unsigned long long size, _Bool zero);

static int BCSP_IoIncrement(struct device_extension *e)
{
    if (e->stoppingFlag)
        return -1;
    irkiss_atomic(e->pendingIo = e->pendingIo + 1);
    return 0;
}

static void BCSP_IoDecrement(struct device_extension *e)
{
    int pendingIo;
    irkiss_atomic(e->pendingIo = e->pendingIo - 1; pendingIo = e->pendingIo);
    if (pendingIo == 0)
        e->stoppingEvent = 1;
}

static void BCSP_PnpAdd(struct device_extension *e)
{
    int status = BCSP_IoIncrement(e);
    if (status == 0) {
        /* do work here */
        irkiss_assert(!stopped);
    }
    BCSP_IoDecrement(e);
}

static void BCSP_PnpStop(void *argument)
{
    struct device_extension *e = argument;
    e->stoppingFlag = 1;
    BCSP_IoDecrement(e);
    irkiss_assume(e->stoppingEvent);
    /* release allocated resources */
    stopped = 1;
}

void __irkiss_main(void)
{
    struct device_extension *e = __irkiss_alloc(sizeof *e, 0);
    e->pendingIo = 1;
    e->stoppingFlag = 0;
    e->stoppingEvent = 0;
    stopped = 0;
    irkiss_async(BCSP_PnpStop, e);
    BCSP_PnpAdd(e);
}
