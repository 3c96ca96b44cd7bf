// irkiss: --property removed ; forms: nopass ; expect: finds ; lazy: yes
//
// What a control has queued goes on when the card is freed and the module is gone.
#include "../drivers/part_linux.h"

struct snd_card { int number; void *private_data; void (*private_free)(struct snd_card *); };
struct snd_kcontrol { int id; void *private_data; };
struct snd_ctl_elem_value { long value[4]; };
struct snd_kcontrol_new {
	const char *name;
	int (*get)(struct snd_kcontrol *, struct snd_ctl_elem_value *);
	int (*put)(struct snd_kcontrol *, struct snd_ctl_elem_value *);
};
extern int snd_devm_card_new(struct device *, int, const char *, struct module *, size_t, struct snd_card **);
extern struct snd_kcontrol *snd_ctl_new1(const struct snd_kcontrol_new *, void *);
extern int snd_ctl_add(struct snd_card *, struct snd_kcontrol *);
extern int snd_card_register(struct snd_card *);

struct chip { int volume; struct work_struct work; };

static void chip_work(struct work_struct *work)
{
	struct chip *chip = container_of(work, struct chip, work); // FINDS:use-after-removal

	WRITE_ONCE(chip->volume, 0); // FINDS:use-after-removal
}

static int chip_put(struct snd_kcontrol *control, struct snd_ctl_elem_value *value)
{
	struct chip *chip = control->private_data;

	schedule_work(&chip->work);
	return 0;
}

static const struct snd_kcontrol_new chip_control = { .name = "Master Volume", .put = chip_put };

static void chip_free(struct snd_card *card)
{
	struct chip *chip = card->private_data;

	WRITE_ONCE(chip->volume, 1);
}

static int chip_probe(struct platform_device *pdev)
{
	struct snd_card *card;
	struct chip *chip;
	int error = snd_devm_card_new(&pdev->dev, -1, "chip", THIS_MODULE, sizeof(*chip), &card);

	if (error)
		return error;
	chip = card->private_data;
	INIT_WORK(&chip->work, chip_work);
	card->private_free = chip_free;
	error = snd_ctl_add(card, snd_ctl_new1(&chip_control, chip));
	if (error)
		return error;
	return snd_card_register(card);
}

static struct platform_driver chip_driver = { .probe = chip_probe, .driver = { .name = "chip" } };

int init_module(void)
{
	return platform_driver_register(&chip_driver);
}

void cleanup_module(void)
{
	platform_driver_unregister(&chip_driver); // FINDS:use-after-removal
}
