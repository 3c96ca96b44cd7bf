// irkiss: ; expect: none ; lazy: yes
//
// A host that is removed has no devices, and gets no new ones.
#include "part_linux.h"

struct Scsi_Host;
struct scsi_device { struct Scsi_Host *host; void *hostdata; };
struct scsi_host_template {
	int (*slave_alloc)(struct scsi_device *device);
	void (*slave_destroy)(struct scsi_device *device);
};
struct Scsi_Host { const struct scsi_host_template *hostt; struct mutex scan_mutex; };
extern struct Scsi_Host *scsi_host_alloc(const struct scsi_host_template *template, int size);
extern int scsi_add_host_with_dma(struct Scsi_Host *host, struct device *dev, struct device *dma);
extern void scsi_remove_host(struct Scsi_Host *host);

static struct Scsi_Host *host;
int devices;

static int demo_alloc(struct scsi_device *device)
{
	devices++; // NORACE
	return 0;
}
static const struct scsi_host_template demo_template = { .slave_alloc = demo_alloc };

static int demo_probe(struct platform_device *pdev)
{
	host = scsi_host_alloc(&demo_template, 0);
	if (!host)
		return -ENOMEM;
	host->hostt = &demo_template;
	return scsi_add_host_with_dma(host, &pdev->dev, &pdev->dev);
}

static int demo_remove(struct platform_device *pdev)
{
	scsi_remove_host(host);
	devices = 0; // NORACE
	return 0;
}

static struct platform_driver demo_driver = { .probe = demo_probe, .remove = demo_remove, .driver = { .name = "demo" } };

int init_module(void)
{
	return platform_driver_register(&demo_driver);
}

void cleanup_module(void)
{
	platform_driver_unregister(&demo_driver);
}
