// irkiss: ; expect: none ; lazy: yes
//
// The core wakes a front end and lets it sleep with the lock held under which it is asked and tuned.
#include "kernel.h"

struct dvb_frontend;
struct dvb_frontend_ops {
    int (*init)(struct dvb_frontend *);
    int (*sleep)(struct dvb_frontend *);
    int (*set_frontend)(struct dvb_frontend *);
    int (*ts_bus_ctrl)(struct dvb_frontend *, int);
    int (*read_status)(struct dvb_frontend *, int *);
};
struct dvb_frontend {
    struct dvb_frontend_ops ops;
    void *demodulator_priv;
};
extern int dvb_register_frontend(void *adapter, struct dvb_frontend *fe);

static int asleep;

static int demo_init_frontend(struct dvb_frontend *fe)
{
    asleep = 0; // NORACE
    return 0;
}

static int demo_sleep(struct dvb_frontend *fe)
{
    asleep = 1; // NORACE
    return 0;
}

static int demo_status(struct dvb_frontend *fe, int *status)
{
    *status = asleep; // NORACE
    return 0;
}

static struct dvb_frontend demo = {
    .ops = { .init = demo_init_frontend, .sleep = demo_sleep, .read_status = demo_status },
};

static int demo_init(void)
{
    return dvb_register_frontend(NULL, &demo);
}

module_init(demo_init)
