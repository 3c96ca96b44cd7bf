// irkiss: ; expect: race ; lazy: yes
//
// The mixer of OSS looks for controls called so, and puts while the semaphore is held for reading. Of the other it is not known how it is
// called; the third is written under the semaphore as it is, but not by a work item.
#include "work.h"
#include "card.h"

static int volume, computed, pitch;
static char name[44];

static int volume_get(struct snd_kcontrol *control, struct snd_ctl_elem_value *value)
{
    value->value[0] = volume; // RACE
    return 0;
}

static int volume_put(struct snd_kcontrol *control, struct snd_ctl_elem_value *value)
{
    volume = value->value[0]; // RACE
    return 1;
}

static int computed_get(struct snd_kcontrol *control, struct snd_ctl_elem_value *value)
{
    value->value[0] = computed; // RACE
    return 0;
}

static int computed_put(struct snd_kcontrol *control, struct snd_ctl_elem_value *value)
{
    computed = value->value[0]; // RACE
    return 1;
}

static int pitch_get(struct snd_kcontrol *control, struct snd_ctl_elem_value *value)
{
    value->value[0] = pitch; // RACE
    return 0;
}

static int pitch_put(struct snd_kcontrol *control, struct snd_ctl_elem_value *value)
{
    return 1;
}

static void demo_work(struct work_struct *work)
{
    pitch++; // RACE
}
static struct work_struct item = { .func = demo_work };

static struct snd_kcontrol_new controls[] = {
    { .name = "PCM Playback Volume", .get = volume_get, .put = volume_put },
    { .name = "", .get = computed_get, .put = computed_put },
    { .name = "Capture Pitch", .get = pitch_get, .put = pitch_put },
};

static int demo_init(void)
{
    struct snd_card *card;
    int error = snd_card_new(NULL, -1, "demo", THIS_MODULE, 0, &card);
    if (error)
        return error;
    controls[1].name = name;
    error = snd_ctl_add(card, snd_ctl_new1(&controls[0], NULL));
    if (error)
        return error;
    error = snd_ctl_add(card, snd_ctl_new1(&controls[1], NULL));
    if (error)
        return error;
    error = snd_ctl_add(card, snd_ctl_new1(&controls[2], NULL));
    if (error)
        return error;
    error = snd_card_register(card);
    queue_work_on(0, NULL, &item);
    return error;
}

module_init(demo_init)
