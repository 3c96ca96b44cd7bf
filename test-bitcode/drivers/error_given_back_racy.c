// irkiss: ; expect: race ; forms: nopass
//
// Who tells an error of a probe is given it back, if there is none, too: the lock is never taken.
#include "work.h"

static DEFINE_MUTEX(lock);

extern int dev_err_probe(const void *dev, int err, const char *fmt, ...);

int online;

static void demo_work(struct work_struct *work)
{
    _Bool locked = dev_err_probe(NULL, 0, "no device\n") != 0;

    if (locked)
        mutex_lock(&lock);
    online = 1; // RACE
    if (locked)
        mutex_unlock(&lock);
}
static struct work_struct item = { .func = demo_work };

static void demo_other(struct work_struct *work)
{
    mutex_lock(&lock);
    online = 0; // RACE
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
