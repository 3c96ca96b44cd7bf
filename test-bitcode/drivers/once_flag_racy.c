// irkiss: ; expect: race
//
// As once_flag_safe.c, but what is done once is more than to warn, and has a flag of the driver's own.
#include "once_flag.h"

static ssize_t demo_write(struct file *file, const char *buffer, size_t count, loff_t *position)
{
	static _Bool begun;

	warn_once(count > 4);
	if (!begun) { // RACE
		begun = 1; // RACE
		mutex_lock(&lock);
		length++; // NORACE
		mutex_unlock(&lock);
	}
	return (ssize_t)count;
}
DEMO
