// irkiss: ; expect: race
//
// Handlers of two interrupt lines run beside each other, and so do their threaded functions.
#include "part_linux.h"

static int count, worked, cookie;

static irqreturn_t first(int irq, void *data)
{
	count++; // RACE
	return 2;
}

static irqreturn_t second(int irq, void *data)
{
	count += 2; // RACE
	return 2;
}

static irqreturn_t first_thread(int irq, void *data)
{
	worked++; // RACE
	return IRQ_HANDLED;
}

static irqreturn_t second_thread(int irq, void *data)
{
	worked += 2; // RACE
	return IRQ_HANDLED;
}

int init_module(void)
{
	int error;

	error = request_threaded_irq(7, first, first_thread, 0x80, "first", &count);
	if (error)
		return error;
	return request_threaded_irq(8, second, second_thread, 0x80, "second", &cookie);
}
