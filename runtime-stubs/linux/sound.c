/* Sound cards and their devices (sound/core/): the objects that are made for the driver, and what of them it finds set. All else in
 * them is arbitrary. Where the members lie depends on the configuration: the debug info of the input says it.
 */
#include "irkiss_linux.h"

u64 __irkiss_offsetof__snd_card__private_data(void);
u64 __irkiss_offsetof__snd_pcm__card(void);
u64 __irkiss_offsetof__snd_rawmidi__card(void);
u64 __irkiss_offsetof__snd_pcm_substream__runtime(void);
u64 __irkiss_offsetof__snd_pcm_substream__pcm(void);
u64 __irkiss_offsetof__snd_pcm__nonatomic(void);
u64 __irkiss_stores__snd_pcm__nonatomic(void);

void irkiss_manage_made(void);

static void set(void *object, u64 at, void *value)
{
    if (at != IRKISS_NO_OFFSET)
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
    int error = new_card(private, result);
    if (!error)
        irkiss_manage_made();
    return error;
}

/* pcm.c, rawmidi.c, hwdep.c, timer.c: the new device belongs to the card. */
int snd_pcm_new(void *card, const char *, int, int, int, void **result)
{
    void *pcm;
    if (__irkiss_nondet_bool())
        return -ENOMEM;
    pcm = __irkiss_lazy(0, "snd_pcm");
    set(pcm, __irkiss_offsetof__snd_pcm__card(), card);
    if (__irkiss_offsetof__snd_pcm__nonatomic() != IRKISS_NO_OFFSET)
        *((u8 *)pcm + __irkiss_offsetof__snd_pcm__nonatomic()) = 0;
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

/* ---- The lock of a stream (sound/core/pcm_native.c), modelled as one for each: the spin lock of its group, taken with interrupts off, or
 * a mutex where the driver sets pcm->nonatomic. ---- */
static _Bool is_mutex(const void *stream)
{
    u64 device = __irkiss_offsetof__snd_pcm_substream__pcm(), at = __irkiss_offsetof__snd_pcm__nonatomic();
    const char *pcm;
    if (__irkiss_stores__snd_pcm__nonatomic() == 0 || device == IRKISS_NO_OFFSET || at == IRKISS_NO_OFFSET)
        return 0;
    pcm = irkiss_field(stream, device);
    return pcm && *(const volatile u8 *)(pcm + at) != 0;
}

static void take(const void *stream)
{
    if (is_mutex(stream))
        irkiss_lock(stream);
    else
        irkiss_spin_lock(stream);
}

static void give(const void *stream)
{
    if (is_mutex(stream))
        irkiss_unlock(stream);
    else
        irkiss_spin_unlock(stream);
}

static unsigned long take_saving(const void *stream)
{
    unsigned long flags = 0;
    if (!is_mutex(stream)) {
        flags = irkiss_flags();
        irkiss_quiet(1);
    }
    take(stream);
    return flags;
}

static void give_restoring(const void *stream, unsigned long flags)
{
    give(stream);
    if (!is_mutex(stream))
        irkiss_restore_flags(flags);
}

void snd_pcm_stream_lock(void *stream)
{
    take(stream);
}

void snd_pcm_stream_lock_irq(void *stream)
{
    take_saving(stream);
}

unsigned long _snd_pcm_stream_lock_irqsave(void *stream)
{
    return take_saving(stream);
}

unsigned long _snd_pcm_stream_lock_irqsave_nested(void *stream)
{
    return take_saving(stream);
}

void snd_pcm_stream_unlock(void *stream)
{
    give(stream);
}

void snd_pcm_stream_unlock_irq(void *stream)
{
    give(stream);
    if (!is_mutex(stream))
        irkiss_quiet(0);
}

void snd_pcm_stream_unlock_irqrestore(void *stream, unsigned long flags)
{
    give_restoring(stream, flags);
}

/* What they call of the driver's, pointer and trigger, are entry points of their own under that lock. */
static void within_lock(void *stream)
{
    give_restoring(stream, take_saving(stream));
}

void snd_pcm_period_elapsed(void *stream)
{
    within_lock(stream);
}

int snd_pcm_stop_xrun(void *stream)
{
    within_lock(stream);
    return irkiss_may_fail(EBUSY);
}
