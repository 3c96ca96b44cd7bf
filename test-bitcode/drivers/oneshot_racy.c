// irkiss: ; expect: race
//
// Flags that the driver computes may lack IRQF_ONESHOT: the handler may run again before the thread function has returned.
#include "kernel.h"

#define IRQ_WAKE_THREAD 2
#define IRQF_SHARED 0x80u
#define IRQF_ONESHOT 0x2000u

static unsigned int cause;
static int cookie;
static volatile unsigned int shared;

static irqreturn_t event_interrupt(int irq, void *device)
{
    cause++; // RACE
    return IRQ_WAKE_THREAD;
}

static irqreturn_t event_thread(int irq, void *device)
{
    cause = 0; // RACE
    return IRQ_HANDLED;
}

static int event_init(void)
{
    return request_threaded_irq(5, event_interrupt, event_thread, shared ? IRQF_SHARED | IRQF_ONESHOT : IRQF_SHARED, "event",
                                &cookie);
}

static void event_exit(void)
{
    free_irq(5, &cookie);
}

module_init(event_init)
module_exit(event_exit)
