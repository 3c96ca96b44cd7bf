// irkiss: --property lock-misuse,deadlock ; expect: finds
//
// The kernel holds spin locks around these functions: under them nobody may sleep.
#include "../drivers/net.h"

struct uart_port;
struct uart_ops {
    void (*start_tx)(struct uart_port *);
};
struct uart_port {
    int line;
    spinlock_t lock;
    const struct uart_ops *ops;
};
extern int uart_add_one_port(void *driver, struct uart_port *port);

struct input_dev {
    const char *name;
    spinlock_t event_lock;
    int (*setkeycode)(struct input_dev *, const void *, unsigned int *);
};
extern struct input_dev *input_allocate_device(void);
extern int input_register_device(struct input_dev *device);

struct snd_pcm {
    void *card;
    _Bool nonatomic;
};
struct snd_pcm_substream {
    struct snd_pcm *pcm;
};
struct snd_pcm_ops {
    int (*trigger)(struct snd_pcm_substream *, int);
};
extern int snd_pcm_new(void *card, const char *id, int device, int playback, int capture, struct snd_pcm **pcm);
extern void snd_pcm_set_ops(struct snd_pcm *pcm, int direction, const struct snd_pcm_ops *ops);

static DEFINE_MUTEX(table);
static DEFINE_SPINLOCK(registers);
static int sent, keys, running, cookie;
static char card[512];

static irqreturn_t demo_interrupt(int irq, void *device)
{
    struct uart_port *port = device;

    spin_lock(&port->lock);
    sent++;
    spin_unlock(&port->lock);
    spin_lock(&registers);
    running = 0;
    spin_unlock(&registers);
    return IRQ_HANDLED;
}

static void demo_start(struct uart_port *port)
{
    mutex_lock(&table); // FINDS:sleep-in-atomic
    sent++;
    mutex_unlock(&table);
}

static int demo_setkeycode(struct input_dev *device, const void *entry, unsigned int *old)
{
    mutex_lock(&table); // FINDS:sleep-in-atomic
    keys++;
    mutex_unlock(&table);
    return 0;
}

static int demo_trigger(struct snd_pcm_substream *stream, int command)
{
    mutex_lock(&table); // FINDS:sleep-in-atomic
    running++;
    mutex_unlock(&table);
    return 0;
}

static void demo_rx_mode(struct net_device *device)
{
    mutex_lock(&table); // FINDS:sleep-in-atomic
    sent++;
    mutex_unlock(&table);
}

static const struct uart_ops uart_ops = { .start_tx = demo_start };
static struct uart_port port = { .ops = &uart_ops };
static const struct snd_pcm_ops pcm_ops = { .trigger = demo_trigger };
static const struct net_device_ops net_ops = { .ndo_set_rx_mode = demo_rx_mode };

static int demo_init(void)
{
    struct input_dev *input;
    struct snd_pcm *pcm;
    struct net_device *net;

    if (request_threaded_irq(5, demo_interrupt, NULL, 0, "demo", &port))
        return -EBUSY;
    if (uart_add_one_port(NULL, &port))
        return -EBUSY;
    input = input_allocate_device();
    if (!input)
        return -ENOMEM;
    input->setkeycode = demo_setkeycode;
    if (input_register_device(input))
        return -EBUSY;
    if (snd_pcm_new(card, "demo", 0, 1, 0, &pcm))
        return -ENOMEM;
    snd_pcm_set_ops(pcm, 0, &pcm_ops);
    net = alloc_etherdev_mqs(0, 1, 1);
    if (!net)
        return -ENOMEM;
    net->netdev_ops = &net_ops;
    return register_netdev(net);
}

module_init(demo_init)
