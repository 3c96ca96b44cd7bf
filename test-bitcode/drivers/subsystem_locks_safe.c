// irkiss: ; expect: none ; forms: nopass ; lazy: yes
//
// Locks of the kernel's own that drivers take by functions of their own name: each has a number that is written under it alone.
#include "part_linux.h"

struct hwspinlock;
struct sdio_func;
struct mmc_host;
struct spi_controller;
struct drm_modeset_lock { void *mutex; };
struct i2c_adapter;
struct i2c_lock_operations {
	void (*lock_bus)(struct i2c_adapter *adapter, unsigned int flags);
	int (*trylock_bus)(struct i2c_adapter *adapter, unsigned int flags);
	void (*unlock_bus)(struct i2c_adapter *adapter, unsigned int flags);
};
struct i2c_adapter { const struct i2c_lock_operations *lock_ops; };
extern void console_lock(void), console_unlock(void);
extern int console_trylock(void);
extern void genl_lock(void), genl_unlock(void);
extern void pci_lock_rescan_remove(void), pci_unlock_rescan_remove(void);
extern void lock_device_hotplug(void), unlock_device_hotplug(void);
extern unsigned int lock_system_sleep(void);
extern void unlock_system_sleep(unsigned int flags);
extern void kernel_param_lock(struct module *module), kernel_param_unlock(struct module *module);
extern int spi_bus_lock(struct spi_controller *controller), spi_bus_unlock(struct spi_controller *controller);
extern void sdio_claim_host(struct sdio_func *function), sdio_release_host(struct sdio_func *function);
extern int __mmc_claim_host(struct mmc_host *host, void *context, atomic_t *abort);
extern void mmc_release_host(struct mmc_host *host);
extern int __hwspin_lock_timeout(struct hwspinlock *lock, unsigned int to, int mode, unsigned long *flags);
extern int __hwspin_trylock(struct hwspinlock *lock, int mode, unsigned long *flags);
extern void __hwspin_unlock(struct hwspinlock *lock, int mode, unsigned long *flags);
extern int drm_modeset_lock(struct drm_modeset_lock *lock, void *context);
extern int drm_modeset_lock_single_interruptible(struct drm_modeset_lock *lock);
extern void drm_modeset_unlock(struct drm_modeset_lock *lock);
extern struct i2c_adapter *i2c_get_adapter(int n);
extern int device_create_file(struct device *device, const struct device_attribute *attribute);

static char space[8];
#define HWSPIN ((struct hwspinlock *)&space[0])
#define CARD ((struct sdio_func *)&space[1])
#define HOST ((struct mmc_host *)&space[2])
#define SPI ((struct spi_controller *)&space[3])
static struct drm_modeset_lock modes;
static struct i2c_adapter *adapter;
int console, genl, rescan, hotplug, asleep, parameter, spi, card, host, spin, mode, bus;

static ssize_t one_store(struct device *dev, struct device_attribute *attribute, const char *buffer, size_t length)
{
	unsigned long flags;
	unsigned int state;

	console_lock();
	console++; // NORACE
	console_unlock();
	genl_lock();
	genl++; // NORACE
	genl_unlock();
	pci_lock_rescan_remove();
	rescan++; // NORACE
	pci_unlock_rescan_remove();
	lock_device_hotplug();
	hotplug++; // NORACE
	unlock_device_hotplug();
	state = lock_system_sleep();
	asleep++; // NORACE
	unlock_system_sleep(state);
	kernel_param_lock(THIS_MODULE);
	parameter++; // NORACE
	kernel_param_unlock(THIS_MODULE);
	spi_bus_lock(SPI);
	spi++; // NORACE
	spi_bus_unlock(SPI);
	sdio_claim_host(CARD);
	sdio_claim_host(CARD);
	sdio_release_host(CARD);
	card++; // NORACE
	sdio_release_host(CARD);
	__mmc_claim_host(HOST, NULL, NULL);
	host++; // NORACE
	mmc_release_host(HOST);
	if (!__hwspin_lock_timeout(HWSPIN, 10, 1, &flags)) {
		spin++; // NORACE
		__hwspin_unlock(HWSPIN, 1, &flags);
	}
	drm_modeset_lock(&modes, NULL);
	mode++; // NORACE
	drm_modeset_unlock(&modes);
	adapter->lock_ops->lock_bus(adapter, 2);
	bus++; // NORACE
	adapter->lock_ops->unlock_bus(adapter, 2);
	return length;
}

static ssize_t other_store(struct device *dev, struct device_attribute *attribute, const char *buffer, size_t length)
{
	if (console_trylock()) {
		console++; // NORACE
		console_unlock();
	}
	if (!__hwspin_trylock(HWSPIN, 0, NULL)) {
		spin++; // NORACE
		__hwspin_unlock(HWSPIN, 0, NULL);
	}
	if (!drm_modeset_lock_single_interruptible(&modes)) {
		mode++; // NORACE
		drm_modeset_unlock(&modes);
	}
	if (adapter->lock_ops->trylock_bus(adapter, 2)) {
		bus++; // NORACE
		adapter->lock_ops->unlock_bus(adapter, 2);
	}
	return length;
}

static struct device_attribute dev_attr_one = { .store = one_store }, dev_attr_other = { .store = other_store };

static int demo_probe(struct platform_device *pdev)
{
	int error;

	adapter = i2c_get_adapter(0);
	if (!adapter)
		return -ENODEV;
	error = device_create_file(&pdev->dev, &dev_attr_one);
	return error ? error : device_create_file(&pdev->dev, &dev_attr_other);
}

static struct platform_driver demo_driver = { .probe = demo_probe, .driver = { .name = "demo" } };

int init_module(void)
{
	return platform_driver_register(&demo_driver);
}
