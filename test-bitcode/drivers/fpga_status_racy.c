// irkiss: ; expect: race ; lazy: yes
//
// As fpga_status_safe.c, but without a lock of the driver's.
#include "part_linux.h"

struct fpga_image_info;
struct fpga_manager { const char *name; struct device dev; struct mutex ref_mutex; void *priv; };
struct fpga_manager_ops {
	u64 (*status)(struct fpga_manager *manager);
	int (*write)(struct fpga_manager *manager, const char *data, size_t size);
};
extern struct fpga_manager *devm_fpga_mgr_register(struct device *device, const char *name, const struct fpga_manager_ops *ops, void *data);

struct loader { struct mutex lock; unsigned int pages; };

static int loader_write(struct fpga_manager *manager, const char *data, size_t size)
{
	struct loader *loader = manager->priv;

	mutex_lock(&loader->lock);
	loader->pages++; // RACE
	mutex_unlock(&loader->lock);
	return 0;
}

static u64 loader_status(struct fpga_manager *manager)
{
	struct loader *loader = manager->priv;
	unsigned int pages;

	pages = loader->pages; // RACE
	return pages;
}

static const struct fpga_manager_ops loader_ops = { .status = loader_status, .write = loader_write };

static int loader_probe(struct platform_device *device)
{
	struct loader *loader = devm_kzalloc(&device->dev, sizeof(*loader), GFP_KERNEL);
	struct fpga_manager *manager;

	if (!loader)
		return -ENOMEM;
	mutex_init(&loader->lock);
	manager = devm_fpga_mgr_register(&device->dev, "loader", &loader_ops, loader);
	return IS_ERR(manager) ? PTR_ERR(manager) : 0;
}

static struct platform_driver loader_driver = { .probe = loader_probe, .driver = { .name = "loader" } };

int init_module(void)
{
	return platform_driver_register(&loader_driver);
}

void cleanup_module(void)
{
	platform_driver_unregister(&loader_driver);
}
