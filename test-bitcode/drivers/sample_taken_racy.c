// irkiss: ; expect: race ; lazy: yes
//
// As sample_taken_safe.c, but who reads says that the sample is taken before it has it: an interrupt before has left one, and another one writes anew.
#include "part_linux.h"

extern unsigned int ioread32(const volatile void *at);
extern void *devm_platform_ioremap_resource(struct platform_device *device, unsigned int index);

struct meter { void *registers; unsigned int sample; int ready; };
static DEFINE_MUTEX(readers);

static irqreturn_t meter_irq(int irq, void *data)
{
	struct meter *meter = data;

	if (__atomic_load_n(&meter->ready, __ATOMIC_ACQUIRE))
		return IRQ_HANDLED;
	meter->sample = ioread32(meter->registers); // RACE
	__atomic_store_n(&meter->ready, 1, __ATOMIC_RELEASE);
	return IRQ_HANDLED;
}

static ssize_t sample_show(struct device *device, struct device_attribute *attribute, char *buffer)
{
	struct meter *meter = dev_get_drvdata(device);
	unsigned int sample = 0;

	mutex_lock(&readers);
	if (__atomic_load_n(&meter->ready, __ATOMIC_ACQUIRE)) {
		__atomic_store_n(&meter->ready, 0, __ATOMIC_RELEASE);
		sample = meter->sample; // RACE
	}
	mutex_unlock(&readers);
	return sysfs_emit(buffer, "%u\n", sample);
}

static struct device_attribute dev_attr_sample = { .attr = { "sample", 0444 }, .show = sample_show };
static struct attribute *meter_attrs[] = { &dev_attr_sample.attr, NULL };
static const struct attribute_group meter_group = { .attrs = meter_attrs };

static int meter_probe(struct platform_device *device)
{
	struct meter *meter = devm_kzalloc(&device->dev, sizeof(*meter), GFP_KERNEL);
	int irq, error;

	if (!meter)
		return -ENOMEM;
	meter->registers = devm_platform_ioremap_resource(device, 0);
	if (IS_ERR(meter->registers))
		return PTR_ERR(meter->registers);
	irq = platform_get_irq(device, 0);
	if (irq < 0)
		return irq;
	platform_set_drvdata(device, meter);
	error = devm_request_irq(&device->dev, irq, meter_irq, 0, "meter", meter);
	if (error)
		return error;
	return devm_device_add_group(&device->dev, &meter_group);
}

static struct platform_driver meter_driver = { .probe = meter_probe, .driver = { .name = "meter" } };

int init_module(void)
{
	return platform_driver_register(&meter_driver);
}

void cleanup_module(void)
{
	platform_driver_unregister(&meter_driver);
}
