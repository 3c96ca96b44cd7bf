// irkiss: --property removed --config properties/exported_ops.toml ; expect: finds
//
// As exported_ops_holds.c, but the object is handed to another module as well, and not taken back: that one calls without a reference.
#include "../drivers/kernel.h"

struct tape_ops {
    int (*wind)(int);
    int (*stop)(void);
};

extern int tape_register(const struct tape_ops *);

int wound;

static int tape_wind(int metres)
{
    WRITE_ONCE(wound, metres); // FINDS:use-after-removal
    return READ_ONCE(wound); // FINDS:use-after-removal
}

static int tape_stop(void)
{
    WRITE_ONCE(wound, 0); // FINDS:use-after-removal
    return READ_ONCE(wound); // FINDS:use-after-removal
}

const struct tape_ops tape_ops = { .wind = tape_wind, .stop = tape_stop };
static void *__UNIQUE_ID___addressable_tape_ops1 __attribute__((used, section(".discard.addressable"))) = (void *)&tape_ops;

static int tape_init(void)
{
    return tape_register(&tape_ops);
}

static void tape_exit(void)
{
    WRITE_ONCE(wound, 0); // FINDS:use-after-removal
}

module_init(tape_init)
module_exit(tape_exit)
