// irkiss: ; expect: none
//
// As line_threads_racy.c, with a lock.
#include "part_linux.h"

static DEFINE_MUTEX(lock);
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

static irqreturn_t first_thread(int irq, void *data)
{
	mutex_lock(&lock);
	worked++;
	mutex_unlock(&lock);
	return IRQ_HANDLED;
}

static irqreturn_t second_thread(int irq, void *data)
{
	mutex_lock(&lock);
	worked += 2;
	mutex_unlock(&lock);
	return IRQ_HANDLED;
}

int init_module(void)
{
	int error;

	error = request_threaded_irq(7, first, first_thread, 0x80, "first", &count);
	if (error)
		return error;
	return request_threaded_irq(7, second, second_thread, 0x80, "second", &cookie);
}
