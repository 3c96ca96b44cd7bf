// irkiss: ; expect: none ; lazy: yes
//
// Who has claimed a host prepares a request before it begins, one thing after the other.
#include "part_linux.h"

struct mmc_host;
struct mmc_request;
struct mmc_host_ops {
	void (*post_req)(struct mmc_host *host, struct mmc_request *request, int error);
	void (*pre_req)(struct mmc_host *host, struct mmc_request *request);
	void (*request)(struct mmc_host *host, struct mmc_request *request);
};
struct mmc_host {
	struct device *parent;
	const struct mmc_host_ops *ops;
};
extern struct mmc_host *mmc_alloc_host(int extra, struct device *dev);
extern int mmc_add_host(struct mmc_host *host);

int next;

static void demo_pre(struct mmc_host *host, struct mmc_request *request)
{
	next = 1; // NORACE
}

static void demo_request(struct mmc_host *host, struct mmc_request *request)
{
	next = 0; // NORACE
}

static const struct mmc_host_ops demo_ops = { .pre_req = demo_pre, .request = demo_request };

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
