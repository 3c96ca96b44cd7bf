// irkiss: ; expect: none ; lazy: yes
//
// Commands of an NFC device come one after the other, from one work item, which holds no lock.
#include "part_linux.h"

struct nfc_digital_dev;
struct nfc_digital_ops { int (*in_send_cmd)(struct nfc_digital_dev *dev, void *data); int (*tg_listen)(struct nfc_digital_dev *dev, void *data); int (*switch_rf)(struct nfc_digital_dev *dev, bool on); };
struct nfc_digital_dev { const struct nfc_digital_ops *ops; };
extern struct nfc_digital_dev *nfc_digital_allocate_device(const struct nfc_digital_ops *ops, u32 protocols, u32 capabilities, int head, int tail);
extern int nfc_digital_register_device(struct nfc_digital_dev *dev);
int field, sent;

static int demo_send(struct nfc_digital_dev *dev, void *data)
{
	sent++; // NORACE
	READ_ONCE(field);
	return 0;
}

static int demo_listen(struct nfc_digital_dev *dev, void *data)
{
	sent++; // NORACE
	return 0;
}

static int demo_switch(struct nfc_digital_dev *dev, bool on)
{
	WRITE_ONCE(field, on); // NORACE
	return 0;
}
static const struct nfc_digital_ops demo_ops = { .in_send_cmd = demo_send, .tg_listen = demo_listen, .switch_rf = demo_switch };

static int demo_probe(struct platform_device *pdev)
{
	struct nfc_digital_dev *dev = nfc_digital_allocate_device(&demo_ops, 1, 0, 0, 0);

	return dev ? nfc_digital_register_device(dev) : -ENOMEM;
}

static struct platform_driver demo_driver = { .probe = demo_probe, .driver = { .name = "demo" } };

int init_module(void)
{
	return platform_driver_register(&demo_driver);
}
