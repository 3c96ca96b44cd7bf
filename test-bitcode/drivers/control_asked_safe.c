// irkiss: ; expect: none ; lazy: yes
//
// What a control is like is asked while the semaphore of its card is held for reading.
#include "kernel.h"

struct snd_card {
    int number;
};
struct snd_kcontrol;
struct snd_ctl_elem_info {
    long min, max;
};
struct snd_ctl_elem_value {
    long value[4];
};
struct snd_kcontrol_new {
    const char *name;
    int (*info)(struct snd_kcontrol *, struct snd_ctl_elem_info *);
    int (*put)(struct snd_kcontrol *, struct snd_ctl_elem_value *);
};
struct snd_kcontrol {
    void *private_data;
};
extern struct snd_kcontrol *snd_ctl_new1(const struct snd_kcontrol_new *control, void *data);
extern int snd_ctl_add(struct snd_card *card, struct snd_kcontrol *control);
extern int snd_card_new(void *parent, int index, const char *id, struct module *module, int private, struct snd_card **card);
extern int snd_card_register(struct snd_card *card);

static int steps;

static int pitch_info(struct snd_kcontrol *control, struct snd_ctl_elem_info *info)
{
    info->max = steps; // NORACE
    return 0;
}

static int pitch_put(struct snd_kcontrol *control, struct snd_ctl_elem_value *value)
{
    steps = value->value[0]; // NORACE
    return 1;
}

static const struct snd_kcontrol_new pitch = { .name = "Capture Pitch 1000000", .info = pitch_info, .put = pitch_put };

static int demo_init(void)
{
    struct snd_card *card;
    int error = snd_card_new(NULL, -1, "demo", THIS_MODULE, 0, &card);
    if (error)
        return error;
    error = snd_ctl_add(card, snd_ctl_new1(&pitch, NULL));
    if (error)
        return error;
    return snd_card_register(card);
}

module_init(demo_init)
