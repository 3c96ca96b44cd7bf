// irkiss: ; expect: race ; lazy: yes
//
// As component_stream_safe.c, without the lock.
#include "part_linux.h"

struct snd_pcm_substream { int stream; };
struct snd_soc_component { struct mutex io_mutex; int active; };
struct snd_soc_component_driver {
	const char *name;
	unsigned int (*read)(struct snd_soc_component *component, unsigned int reg);
	int (*write)(struct snd_soc_component *component, unsigned int reg, unsigned int value);
	unsigned long (*pointer)(struct snd_soc_component *component, struct snd_pcm_substream *substream);
};
extern int devm_snd_soc_register_component(struct device *dev, const struct snd_soc_component_driver *component, void *dai, int n);

unsigned int page, position;

static unsigned int demo_read(struct snd_soc_component *component, unsigned int reg)
{
	page = reg >> 8;
	return page;
}

static int demo_write(struct snd_soc_component *component, unsigned int reg, unsigned int value)
{
	page = reg >> 8;
	return 0;
}

static unsigned long demo_pointer(struct snd_soc_component *component, struct snd_pcm_substream *substream)
{
	unsigned long now;

	now = position; // RACE
	return now;
}
static const struct snd_soc_component_driver demo_component = {
	.name = "demo", .read = demo_read, .write = demo_write, .pointer = demo_pointer,
};

static irqreturn_t demo_irq(int irq, void *data)
{
	position++; // RACE
	return 1;
}

static int demo_probe(struct platform_device *pdev)
{
	int error = request_threaded_irq(5, demo_irq, NULL, 0, "demo", &position);

	if (error)
		return error;
	return devm_snd_soc_register_component(&pdev->dev, &demo_component, NULL, 0);
}

static struct platform_driver demo_driver = { .probe = demo_probe, .driver = { .name = "demo" } };

int init_module(void)
{
	return platform_driver_register(&demo_driver);
}
