// irkiss: ; expect: none ; lazy: yes
//
// A bit is a lock: who finds it set waits until it is clear, and sets it.
#include "part_linux.h"

extern int out_of_line_wait_on_bit_lock(void *word, int bit, void *action, unsigned int mode);
extern int device_create_file(struct device *device, const struct device_attribute *attribute);

static unsigned long word;
int number;

static int claim(unsigned int mode)
{
	if (!(__atomic_fetch_or(&word, 1ul, __ATOMIC_ACQ_REL) & 1))
		return 0;
	return out_of_line_wait_on_bit_lock(&word, 0, NULL, mode);
}

static void give_back(void)
{
	__atomic_fetch_and(&word, ~1ul, __ATOMIC_RELEASE);
}

static ssize_t one_store(struct device *dev, struct device_attribute *attribute, const char *buffer, size_t length)
{
	if (claim(1))
		return -EAGAIN;
	number++; // NORACE
	give_back();
	return length;
}

static ssize_t other_store(struct device *dev, struct device_attribute *attribute, const char *buffer, size_t length)
{
	claim(2);
	number = 0; // NORACE
	give_back();
	return length;
}

static struct device_attribute dev_attr_one = { .store = one_store }, dev_attr_other = { .store = other_store };

static int demo_probe(struct platform_device *pdev)
{
	int error = device_create_file(&pdev->dev, &dev_attr_one);

	return error ? error : device_create_file(&pdev->dev, &dev_attr_other);
}

static struct platform_driver demo_driver = { .probe = demo_probe, .driver = { .name = "demo" } };

int init_module(void)
{
	return platform_driver_register(&demo_driver);
}
