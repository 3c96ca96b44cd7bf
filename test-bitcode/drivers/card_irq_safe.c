// irkiss: ; expect: none ; lazy: yes
//
// Without a thread for interrupts of cards they are switched on and off with the host claimed, as its clock is set.
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
	ier = ios->clock; // NORACE
}

static void demo_enable(struct mmc_host *host, int enable)
{
	ier = enable; // NORACE
}

static void demo_ack(struct mmc_host *host)
{
	ier = 1; // NORACE
}
static const struct mmc_host_ops demo_ops = { .set_ios = demo_set_ios, .enable_sdio_irq = demo_enable, .ack_sdio_irq = demo_ack };

static int demo_probe(struct platform_device *pdev)
{
	struct mmc_host *host = mmc_alloc_host(0, &pdev->dev);

	if (!host)
		return -ENOMEM;
	host->ops = &demo_ops;
	host->caps2 |= MMC_CAP2_SDIO_IRQ_NOTHREAD;
	return mmc_add_host(host);
}

static struct platform_driver demo_driver = { .probe = demo_probe, .driver = { .name = "demo" } };

int init_module(void)
{
	return platform_driver_register(&demo_driver);
}
