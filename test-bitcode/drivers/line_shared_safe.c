// irkiss: ; expect: none
//
// The kernel calls the handlers of one interrupt line one after the other.
#include "part_linux.h"

static int count, worked, cookie;

static irqreturn_t first(int irq, void *data)
{
	count++;
	return 2;
}

static irqreturn_t second(int irq, void *data)
{
	count += 2;
	return 2;
}

int init_module(void)
{
	int error;

	error = request_threaded_irq(7, first, NULL, 0x80, "first", &count);
	if (error)
		return error;
	return request_threaded_irq(7, second, NULL, 0x80, "second", &cookie);
}
