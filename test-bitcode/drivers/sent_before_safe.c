// irkiss: ; expect: none ; lazy: yes
//
// What was sent before, which takes a device that is open, is counted by the interrupt, and told under the lock.
#include "part_linux.h"

struct sk_buff { unsigned int len; };
struct rtnl_link_stats64 { u64 rx_packets, tx_packets; };
struct net_device;
struct net_device_ops {
	int (*ndo_open)(struct net_device *);
	int (*ndo_stop)(struct net_device *);
	int (*ndo_start_xmit)(struct sk_buff *, struct net_device *);
	void (*ndo_get_stats64)(struct net_device *, struct rtnl_link_stats64 *);
};
struct net_device { const struct net_device_ops *netdev_ops; unsigned int mtu; };
extern struct net_device *alloc_etherdev_mqs(int size, unsigned int tx, unsigned int rx);
extern int register_netdev(struct net_device *device);
extern void unregister_netdev(struct net_device *device);
extern void free_netdev(struct net_device *device);

struct card { spinlock_t lock; unsigned int head, tail; u64 sent; int irq; struct net_device *net; };
static struct card only;

static int card_open(struct net_device *net)
{
	return 0;
}

static int card_stop(struct net_device *net)
{
	return 0;
}

static int card_xmit(struct sk_buff *packet, struct net_device *net)
{
	struct card *card = &only;
	unsigned long flags;

	spin_lock_irqsave(&card->lock, flags);
	card->head = card->tail + 1;
	spin_unlock_irqrestore(&card->lock, flags);
	return 0;
}

static irqreturn_t card_irq(int irq, void *data)
{
	struct card *card = data;

	spin_lock(&card->lock);
	if (card->tail != card->head) {
		card->tail = card->head;
		card->sent++;
	}
	spin_unlock(&card->lock);
	return IRQ_HANDLED;
}

static void card_stats(struct net_device *net, struct rtnl_link_stats64 *stats)
{
	struct card *card = &only;

	spin_lock_irq(&card->lock);
	stats->tx_packets = card->sent;
	spin_unlock_irq(&card->lock);
}

static const struct net_device_ops card_ops = { .ndo_open = card_open, .ndo_stop = card_stop, .ndo_start_xmit = card_xmit, .ndo_get_stats64 = card_stats };

static int card_probe(struct platform_device *device)
{
	struct card *card = &only;
	int error;

	spin_lock_init(&card->lock);
	card->irq = platform_get_irq(device, 0);
	if (card->irq < 0)
		return card->irq;
	card->net = alloc_etherdev_mqs(0, 1, 1);
	if (!card->net)
		return -ENOMEM;
	card->net->netdev_ops = &card_ops;
	error = request_irq(card->irq, card_irq, 0, "card", card);
	if (error)
		goto no_irq;
	error = register_netdev(card->net);
	if (!error)
		return 0;
	free_irq(card->irq, card);
no_irq:
	free_netdev(card->net);
	return error;
}

static int card_remove(struct platform_device *device)
{
	unregister_netdev(only.net);
	free_irq(only.irq, &only);
	free_netdev(only.net);
	return 0;
}

static struct platform_driver card_driver = { .probe = card_probe, .remove = card_remove, .driver = { .name = "card" } };

int init_module(void)
{
	return platform_driver_register(&card_driver);
}

void cleanup_module(void)
{
	platform_driver_unregister(&card_driver);
}
