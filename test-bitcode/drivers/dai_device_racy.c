// irkiss: ; expect: race ; lazy: yes
//
// As dai_device_safe.c, without the lock.
#include "part_linux.h"

struct snd_pcm_substream { int stream; };
struct snd_soc_dai { int id; struct device *dev; };
struct snd_soc_dai_ops {
	int (*hw_params)(struct snd_pcm_substream *substream, void *params, struct snd_soc_dai *dai);
	int (*trigger)(struct snd_pcm_substream *substream, int cmd, struct snd_soc_dai *dai);
};
struct snd_soc_dai_driver { const char *name; const struct snd_soc_dai_ops *ops; };
extern int devm_snd_soc_register_component(struct device *dev, const void *component, struct snd_soc_dai_driver *dai, int n);

struct demo { spinlock_t lock; int running, rate; };

static int demo_params(struct snd_pcm_substream *substream, void *params, struct snd_soc_dai *dai)
{
	struct demo *demo = dai->dev->driver_data;

	demo->rate = 48000;
	return 0;
}

static int demo_trigger(struct snd_pcm_substream *substream, int cmd, struct snd_soc_dai *dai)
{
	struct demo *demo = dai->dev->driver_data;

	demo->running = cmd; // RACE
	return 0;
}
static const struct snd_soc_dai_ops demo_ops = { .hw_params = demo_params, .trigger = demo_trigger };
static struct snd_soc_dai_driver demo_dai = { .name = "demo", .ops = &demo_ops };

static irqreturn_t demo_irq(int irq, void *data)
{
	struct demo *demo = data;

	demo->running = 0; // RACE
	return 1;
}

static int demo_probe(struct platform_device *pdev)
{
	struct demo *demo = devm_kmalloc(&pdev->dev, sizeof(*demo), GFP_KERNEL | __GFP_ZERO);
	int error;

	if (!demo)
		return -ENOMEM;
	spin_lock_init(&demo->lock);
	pdev->dev.driver_data = demo;
	error = request_threaded_irq(5, demo_irq, NULL, 0, "demo", demo);
	if (error)
		return error;
	return devm_snd_soc_register_component(&pdev->dev, NULL, &demo_dai, 1);
}

static struct platform_driver demo_driver = { .probe = demo_probe, .driver = { .name = "demo" } };

int init_module(void)
{
	return platform_driver_register(&demo_driver);
}
