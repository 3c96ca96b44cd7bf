// irkiss: --property uaf ; expect: uaf
//
// The host object, and the driver's state in it, comes from the core (memstick_alloc_host) and goes back to it (memstick_free_host), while
// the poll work item may still be under way.
#include "../drivers/part_linux.h"

struct memstick_host {
	struct mutex lock;
	unsigned int id;
	bool removing;
	struct device dev;
	void (*request)(struct memstick_host *);
	int (*set_param)(struct memstick_host *, int, int);
	unsigned long private[0];
};
extern struct memstick_host *memstick_alloc_host(unsigned int extra, struct device *dev);
extern int memstick_add_host(struct memstick_host *host);
extern void memstick_remove_host(struct memstick_host *host);
extern void memstick_free_host(struct memstick_host *host);
static inline void *memstick_priv(struct memstick_host *host) { return (void *)host->private; }

struct slot { struct memstick_host *host; struct work_struct poll; int present; };

static void slot_poll(struct work_struct *work)
{
	struct slot *slot = container_of(work, struct slot, poll);

	slot->present = !slot->present; // FREED
}

static void slot_request(struct memstick_host *host)
{
	struct slot *slot = memstick_priv(host);

	schedule_work(&slot->poll);
}

static int slot_probe(struct platform_device *pdev)
{
	struct memstick_host *host = memstick_alloc_host(sizeof(struct slot), &pdev->dev);
	struct slot *slot;
	int error;

	if (!host)
		return -ENOMEM;
	slot = memstick_priv(host);
	slot->host = host;
	INIT_WORK(&slot->poll, slot_poll);
	host->request = slot_request;
	platform_set_drvdata(pdev, slot);
	error = memstick_add_host(host);
	if (error) {
		memstick_free_host(host);
		return error;
	}
	schedule_work(&slot->poll);
	return 0;
}

static int slot_remove(struct platform_device *pdev)
{
	struct slot *slot = platform_get_drvdata(pdev);
	struct memstick_host *host = slot->host;

	host->removing = true;
	memstick_remove_host(host);
	memstick_free_host(host);
	return 0;
}

static struct platform_driver slot_driver = { .probe = slot_probe, .remove = slot_remove, .driver = { .name = "slot" } };

int init_module(void)
{
	return platform_driver_register(&slot_driver);
}

void cleanup_module(void)
{
	platform_driver_unregister(&slot_driver);
}
