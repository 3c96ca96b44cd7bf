// irkiss: ; expect: race ; lazy: yes
//
// As atm_connection_unknown.c, but all packets of a connection are counted in one place: CLIP sends without the lock of the socket.
#include "kernel.h"

struct sk_buff {
    unsigned int len;
    unsigned char *data;
};
struct atm_qos {
    int aal;
};
struct atm_vcc {
    short vpi;
    int vci;
    void *dev_data;
};
struct atmdev_ops {
    int (*open)(struct atm_vcc *);
    void (*close)(struct atm_vcc *);
    int (*send)(struct atm_vcc *, struct sk_buff *);
};
struct atm_dev {
    const struct atmdev_ops *ops;
    void *dev_data;
};
extern struct atm_dev *atm_dev_register(const char *type, void *parent, const struct atmdev_ops *ops, int number, unsigned long *flags);

struct connection {
    int cells, closed;
};

static int demo_open(struct atm_vcc *vcc)
{
    struct connection *connection = vcc->dev_data;
    if (!connection) {
        connection = __kmalloc(sizeof(*connection), GFP_KERNEL);
        if (!connection)
            return -ENOMEM;
    }
    connection->cells = 0;
    vcc->dev_data = connection;
    return 0;
}

static void demo_close(struct atm_vcc *vcc)
{
    struct connection *connection = vcc->dev_data;
    if (connection)
        connection->closed++;
}

static int demo_send(struct atm_vcc *vcc, struct sk_buff *packet)
{
    struct connection *connection = vcc->dev_data;
    if (connection)
        connection->cells++; // RACE
    return 0;
}

static const struct atmdev_ops demo_ops = { .open = demo_open, .close = demo_close, .send = demo_send };

static int demo_init(void)
{
    return atm_dev_register("demo", NULL, &demo_ops, -1, NULL) ? 0 : -ENOMEM;
}

module_init(demo_init)
