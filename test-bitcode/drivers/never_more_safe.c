// irkiss: ; expect: none ; forms: nopass
//
// Who writes a register is told 0 or an error, never more: the lock is always taken.
#include "work.h"

static DEFINE_MUTEX(lock);

extern int regmap_update_bits_base(void *map, unsigned int reg, unsigned int mask, unsigned int value, _Bool *change, _Bool async,
                                   _Bool force);
extern int regmap_write(void *map, unsigned int reg, unsigned int value);

int online;

static void demo_work(struct work_struct *work)
{
    _Bool changed = 0, locked;
    int result = regmap_update_bits_base(NULL, 1, 2, 2, &changed, 0, 0);

    locked = result <= 0 && regmap_write(NULL, 1, 2) <= 0;
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
