// irkiss: ; expect: none
//
// The flag of a macro that warns once is read and set without a lock, on purpose: nobody minds who comes first.
#include "once_flag.h"

static ssize_t demo_write(struct file *file, const char *buffer, size_t count, loff_t *position)
{
	warn_once(count > 4);
	mutex_lock(&lock);
	length = (int)count; // NORACE
	mutex_unlock(&lock);
	return (ssize_t)count;
}
DEMO
