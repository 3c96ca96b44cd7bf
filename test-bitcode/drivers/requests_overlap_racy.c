// irkiss: ; expect: race ; lazy: yes
//
// As requests_overlap_safe.c, but something is left to do for the request before: beside the preparation of the next one.
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
	next = 1; // RACE
}

static void demo_post(struct mmc_host *host, struct mmc_request *request, int error)
{
	next = 0; // RACE
}

static const struct mmc_host_ops demo_ops = { .pre_req = demo_pre, .post_req = demo_post };

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
