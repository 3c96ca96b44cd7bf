// irkiss: --property removed ; expect: none
//
// Functions that other modules call, through an object that is exported: whoever names it keeps this module.
#include "../drivers/kernel.h"

struct tape_ops {
    int (*wind)(int);
    int (*stop)(void);
};

int wound;

static int tape_wind(int metres)
{
    WRITE_ONCE(wound, metres);
    return READ_ONCE(wound);
}

static int tape_stop(void)
{
    WRITE_ONCE(wound, 0);
    return READ_ONCE(wound);
}

const struct tape_ops tape_ops = { .wind = tape_wind, .stop = tape_stop };
static void *__UNIQUE_ID___addressable_tape_ops1 __attribute__((used, section(".discard.addressable"))) = (void *)&tape_ops;

static int tape_init(void)
{
    return 0;
}

static void tape_exit(void)
{
    WRITE_ONCE(wound, 0);
}

module_init(tape_init)
module_exit(tape_exit)
