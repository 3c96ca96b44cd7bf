/* Sound cards and their devices (sound/core/): the objects that are made for the driver, and what of them it finds set. All else in
 * them is arbitrary. Where the members lie depends on the configuration: the debug info of the input says it.
 */
#include "irkiss_linux.h"

u64 __irkiss_offsetof__snd_card__private_data(void);
u64 __irkiss_offsetof__snd_pcm__card(void);
u64 __irkiss_offsetof__snd_rawmidi__card(void);
u64 __irkiss_offsetof__snd_pcm_substream__runtime(void);

#define UNKNOWN (~0ull)

static void set(void *object, u64 at, void *value)
{
    if (at != UNKNOWN)
        *(void **)((char *)object + at) = value;
}

/* init.c: the driver's part of the card is cleared; none has a null pointer. */
static int new_card(usize private, void **result)
{
    void *card;
    if (__irkiss_nondet_bool())
        return -ENOMEM;
    card = __irkiss_lazy(0, "snd_card");
    set(card, __irkiss_offsetof__snd_card__private_data(), private ? __irkiss_alloc(private, 1) : NULL);
    *result = card;
    return 0;
}

int snd_card_new(void *, int, const char *, void *, int private, void **result)
{
    return new_card((usize)private, result);
}

int snd_devm_card_new(void *, int, const char *, void *, usize private, void **result)
{
    return new_card(private, result);
}

/* pcm.c, rawmidi.c, hwdep.c, timer.c: the new device belongs to the card. */
int snd_pcm_new(void *card, const char *, int, int, int, void **result)
{
    void *pcm;
    if (__irkiss_nondet_bool())
        return -ENOMEM;
    pcm = __irkiss_lazy(0, "snd_pcm");
    set(pcm, __irkiss_offsetof__snd_pcm__card(), card);
    *result = pcm;
    return 0;
}

int snd_rawmidi_new(void *card, char *, int, int, int, void **result)
{
    void *midi;
    if (__irkiss_nondet_bool())
        return -ENOMEM;
    midi = __irkiss_lazy(0, "snd_rawmidi");
    set(midi, __irkiss_offsetof__snd_rawmidi__card(), card);
    if (result)
        *result = midi;
    return 0;
}

int snd_hwdep_new(void *, char *, int, void **result)
{
    if (__irkiss_nondet_bool())
        return -ENOMEM;
    if (result)
        *result = __irkiss_lazy(0, "snd_hwdep");
    return 0;
}

int snd_timer_new(void *, char *, void *, void **result)
{
    if (__irkiss_nondet_bool())
        return -ENOMEM;
    if (result)
        *result = __irkiss_lazy(0, "snd_timer");
    return 0;
}

/* sound/core/pcm_lib.c: the control of which speaker each channel belongs to. */
int snd_pcm_add_chmap_ctls(void *, int, const void *, int, unsigned long, void **result)
{
    if (__irkiss_nondet_bool())
        return -ENOMEM;
    if (result)
        *result = __irkiss_lazy(0, "snd_pcm_chmap");
    return 0;
}

/* sound/core/pcm_native.c: a substream of the device, with a runtime of its own. Each file has its own, but for one opened with O_APPEND. */
int snd_pcm_open_substream(void *, int, void *, void **result)
{
    void *stream;
    if (__irkiss_nondet_bool())
        return -EBUSY;
    stream = __irkiss_lazy(0, "snd_pcm_substream");
    set(stream, __irkiss_offsetof__snd_pcm_substream__runtime(), __irkiss_lazy(0, "snd_pcm_runtime"));
    *result = stream;
    return 0;
}

/* sound/pci/ac97/ac97_codec.c: snd_ac97_bus, snd_ac97_mixer. They probe the codecs through the driver's own functions: that is left out. */
int snd_ac97_bus(void *, int, const void *, void *, void **result)
{
    if (__irkiss_nondet_bool())
        return -ENOMEM;
    if (result)
        *result = __irkiss_lazy(0, "snd_ac97_bus");
    return 0;
}

int snd_ac97_mixer(void *, void *, void **result)
{
    *result = NULL;
    if (__irkiss_nondet_bool())
        return -ENOMEM;
    *result = __irkiss_lazy(0, "snd_ac97");
    return 0;
}
