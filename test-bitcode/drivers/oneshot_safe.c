// irkiss: ; expect: none
//
// With IRQF_ONESHOT the line stays masked until the thread function has returned: the handler does not run beside it.
#include "kernel.h"

#define IRQ_WAKE_THREAD 2
#define IRQF_SHARED 0x80u
#define IRQF_ONESHOT 0x2000u

static unsigned int cause;
static int cookie;

static irqreturn_t event_interrupt(int irq, void *device)
{
    cause++; // NORACE
    return IRQ_WAKE_THREAD;
}

static irqreturn_t event_thread(int irq, void *device)
{
    cause = 0; // NORACE
    return IRQ_HANDLED;
}

static int event_init(void)
{
    return request_threaded_irq(5, event_interrupt, event_thread, IRQF_SHARED | IRQF_ONESHOT, "event", &cookie);
}

static void event_exit(void)
{
    free_irq(5, &cookie);
}

module_init(event_init)
module_exit(event_exit)
