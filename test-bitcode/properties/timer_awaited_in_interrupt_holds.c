// irkiss: --property deadlock ; expect: none
//
// As timer_awaited_in_interrupt_fails.c, without waiting.
#include "../drivers/part_linux.h"

extern int timer_delete(struct timer_list *timer);
static struct timer_list timer;
static int ticks, interrupts;

static void timer_function(struct timer_list *timer)
{
	ticks++;
}

static irqreturn_t demo_interrupt(int irq, void *data)
{
	timer_delete(&timer);
	interrupts++;
	return IRQ_HANDLED;
}

int init_module(void)
{
	timer_setup(&timer, timer_function, 0);
	mod_timer(&timer, jiffies + HZ);
	return request_irq(7, demo_interrupt, 0, "demo", &ticks);
}
