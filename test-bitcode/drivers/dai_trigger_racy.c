// irkiss: ; expect: race ; lazy: yes
//
// As dai_trigger_safe.c, without the lock.
#include "part_linux.h"

struct snd_pcm_substream { int stream; };
struct snd_soc_dai { int id; };
struct snd_soc_dai_ops {
	int (*hw_params)(struct snd_pcm_substream *substream, void *params, struct snd_soc_dai *dai);
	int (*trigger)(struct snd_pcm_substream *substream, int cmd, struct snd_soc_dai *dai);
};
struct snd_soc_dai_driver { const char *name; const struct snd_soc_dai_ops *ops; };
extern int devm_snd_soc_register_component(struct device *dev, const void *component, struct snd_soc_dai_driver *dai, int n);

int running, rate;

static int demo_params(struct snd_pcm_substream *substream, void *params, struct snd_soc_dai *dai)
{
	rate = 48000;
	return 0;
}

static int demo_trigger(struct snd_pcm_substream *substream, int cmd, struct snd_soc_dai *dai)
{
	running = cmd; // RACE
	return 0;
}
static const struct snd_soc_dai_ops demo_ops = { .hw_params = demo_params, .trigger = demo_trigger };
static struct snd_soc_dai_driver demo_dai = { .name = "demo", .ops = &demo_ops };

static irqreturn_t demo_irq(int irq, void *data)
{
	running = 0; // RACE
	return 1;
}

static int demo_probe(struct platform_device *pdev)
{
	int error = request_threaded_irq(5, demo_irq, NULL, 0, "demo", &running);

	if (error)
		return error;
	return devm_snd_soc_register_component(&pdev->dev, NULL, &demo_dai, 1);
}

static struct platform_driver demo_driver = { .probe = demo_probe, .driver = { .name = "demo" } };

int init_module(void)
{
	return platform_driver_register(&demo_driver);
}
