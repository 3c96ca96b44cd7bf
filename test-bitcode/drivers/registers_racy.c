// irkiss: ; expect: race
//
// Initialisation reads more registers than --unwind has iterations, and each reading may fail: the one way to success counts.
#include "work.h"

extern int i2c_smbus_read_byte_data(const void *client, unsigned char command);

static DEFINE_MUTEX(lock);
static int cache[8];
int count;

static void demo_work(struct work_struct *work)
{
    count++; // RACE
}
static struct work_struct item = { .func = demo_work };

static void demo_other(struct work_struct *work)
{
    count--; // RACE
}
static struct work_struct other = { .func = demo_other };

static int demo_init(void)
{
    for (int i = 0; i < 8; i++) {
        int value = i2c_smbus_read_byte_data(NULL, i);
        if (value < 0)
            return value;
        cache[i] = value;
    }
    queue_work_on(0, NULL, &item);
    queue_work_on(0, NULL, &other);
    return 0;
}

module_init(demo_init)
