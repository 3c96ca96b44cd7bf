// irkiss: ; expect: race ; lazy: yes
//
// As card_irq_safe.c, but the core has a thread for interrupts of cards, which switches them on while the host is not claimed.
#include "part_linux.h"

struct mmc_host;
struct mmc_ios { unsigned int clock; };
struct mmc_host_ops {
	void (*set_ios)(struct mmc_host *host, struct mmc_ios *ios);
	void (*enable_sdio_irq)(struct mmc_host *host, int enable);
	void (*ack_sdio_irq)(struct mmc_host *host);
};
struct mmc_host {
	const struct mmc_host_ops *ops;
	u32 caps, caps2;
};
#define MMC_CAP2_SDIO_IRQ_NOTHREAD (1 << 17)
extern struct mmc_host *mmc_alloc_host(int extra, struct device *dev);
extern int mmc_add_host(struct mmc_host *host);

u32 ier;

static void demo_set_ios(struct mmc_host *host, struct mmc_ios *ios)
{
	ier = ios->clock; // RACE
}

static void demo_enable(struct mmc_host *host, int enable)
{
	ier = enable; // RACE
}

static const struct mmc_host_ops demo_ops = { .set_ios = demo_set_ios, .enable_sdio_irq = demo_enable };

static int demo_probe(struct platform_device *pdev)
{
	struct mmc_host *host = mmc_alloc_host(0, &pdev->dev);

	if (!host)
		return -ENOMEM;
	host->ops = &demo_ops;
	return mmc_add_host(host);
}

static struct platform_driver demo_driver = { .probe = demo_probe, .driver = { .name = "demo" } };

int init_module(void)
{
	return platform_driver_register(&demo_driver);
}
