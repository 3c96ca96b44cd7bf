// irkiss: ; expect: none ; lazy: yes
//
// A control is read while the semaphore of its card is held for reading, and written while it is held for writing; so is another control
// of the same card.
#include "card.h"

static int pitch, level;

static int pitch_get(struct snd_kcontrol *control, struct snd_ctl_elem_value *value)
{
    value->value[0] = pitch; // NORACE
    return 0;
}

static int pitch_put(struct snd_kcontrol *control, struct snd_ctl_elem_value *value)
{
    pitch = value->value[0]; // NORACE
    return 1;
}

static int level_get(struct snd_kcontrol *control, struct snd_ctl_elem_value *value)
{
    value->value[0] = level + pitch; // NORACE
    return 0;
}

static int level_put(struct snd_kcontrol *control, struct snd_ctl_elem_value *value)
{
    level = value->value[0]; // NORACE
    return 1;
}

static const struct snd_kcontrol_new controls[] = {
    { .name = "Capture Pitch 1000000", .get = pitch_get, .put = pitch_put },
    { .name = "Level", .get = level_get, .put = level_put },
};

static int demo_init(void)
{
    struct snd_card *card;
    int error = snd_card_new(NULL, -1, "demo", THIS_MODULE, 0, &card);
    if (error)
        return error;
    error = snd_ctl_add(card, snd_ctl_new1(&controls[0], NULL));
    if (error)
        return error;
    error = snd_ctl_add(card, snd_ctl_new1(&controls[1], NULL));
    if (error)
        return error;
    return snd_card_register(card);
}

module_init(demo_init)
