// irkiss: --property deadlock ; expect: finds
//
// An interrupt handler waits for a timer's function, which it may have interrupted.
#include "../drivers/part_linux.h"

static struct timer_list timer;
static int ticks, interrupts;

static void timer_function(struct timer_list *timer)
{
	ticks++; // FINDS:deadlock
}

static irqreturn_t demo_interrupt(int irq, void *data)
{
	del_timer_sync(&timer); // FINDS:deadlock
	interrupts++;
	return IRQ_HANDLED;
}

int init_module(void)
{
	timer_setup(&timer, timer_function, 0);
	mod_timer(&timer, jiffies + HZ);
	return request_irq(7, demo_interrupt, 0, "demo", &ticks);
}
