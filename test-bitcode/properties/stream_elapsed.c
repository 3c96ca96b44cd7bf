// irkiss: --property deadlock ; forms: nopass ; expect: finds ; lazy: yes
//
// As stream_interrupts_holds.c, but the handler takes the lock of the stream (snd_pcm_period_elapsed) within the lock that trigger takes within it.
#include "../drivers/part_linux.h"

struct snd_pcm { int device; bool nonatomic; void *private_data; };
struct snd_pcm_substream { struct snd_pcm *pcm; void *private_data; };
struct snd_pcm_ops {
	int (*open)(struct snd_pcm_substream *);
	int (*close)(struct snd_pcm_substream *);
	int (*trigger)(struct snd_pcm_substream *, int);
	int (*ack)(struct snd_pcm_substream *);
};
struct snd_card;
extern void snd_pcm_set_ops(struct snd_pcm *, int, const struct snd_pcm_ops *);
extern void snd_pcm_period_elapsed(struct snd_pcm_substream *);
extern int snd_card_new(struct device *, int, const char *, struct module *, int, struct snd_card **);
extern int snd_pcm_new(struct snd_card *, const char *, int, int, int, struct snd_pcm **);
extern int snd_card_register(struct snd_card *);

static DEFINE_SPINLOCK(lock);
static int running, written;
static struct snd_pcm_substream *current_stream;
static struct snd_card *card;

static irqreturn_t demo_interrupt(int irq, void *data)
{
	struct snd_pcm_substream *s;

	spin_lock(&lock);
	s = current_stream;
	if (s)
		snd_pcm_period_elapsed(s); // FINDS:deadlock
	spin_unlock(&lock);
	return IRQ_HANDLED;
}

static int demo_open(struct snd_pcm_substream *s)
{
	spin_lock_irq(&lock);
	current_stream = s;
	spin_unlock_irq(&lock);
	return 0;
}

static int demo_trigger(struct snd_pcm_substream *s, int command)
{
	spin_lock(&lock); // FINDS:deadlock
	running = command;
	spin_unlock(&lock);
	return 0;
}

static int demo_ack(struct snd_pcm_substream *s)
{
	spin_lock(&lock); // FINDS:deadlock
	written++;
	spin_unlock(&lock);
	return 0;
}

static const struct snd_pcm_ops demo_ops = { .open = demo_open, .trigger = demo_trigger, .ack = demo_ack };

static int demo_probe(struct platform_device *pdev)
{
	struct snd_pcm *pcm;

	if (snd_card_new(&pdev->dev, 0, "demo", THIS_MODULE, 0, &card) || snd_pcm_new(card, "demo", 0, 1, 0, &pcm))
		return -ENOMEM;
	snd_pcm_set_ops(pcm, 0, &demo_ops);
	if (devm_request_irq(&pdev->dev, 5, demo_interrupt, 0, "demo", card))
		return -EBUSY;
	return snd_card_register(card);
}

static struct platform_driver demo_driver = { .probe = demo_probe, .driver = { .name = "demo" } };

int init_module(void)
{
	return platform_driver_register(&demo_driver);
}

void cleanup_module(void)
{
	platform_driver_unregister(&demo_driver);
}
