// irkiss: ; expect: none ; forms: nopass
//
// Who tells an error of a probe is given it back: the lock is always taken.
#include "work.h"

static DEFINE_MUTEX(lock);

extern int dev_err_probe(const void *dev, int err, const char *fmt, ...);

int online;

static void demo_work(struct work_struct *work)
{
    _Bool locked = dev_err_probe(NULL, -19, "no device\n") != 0;

    if (locked)
        mutex_lock(&lock);
    online = 1; // NORACE
    if (locked)
        mutex_unlock(&lock);
}
static struct work_struct item = { .func = demo_work };

static void demo_other(struct work_struct *work)
{
    mutex_lock(&lock);
    online = 0; // NORACE
    mutex_unlock(&lock);
}
static struct work_struct other = { .func = demo_other };

static int demo_init(void)
{
    queue_work_on(0, NULL, &item);
    queue_work_on(0, NULL, &other);
    return 0;
}

module_init(demo_init)
