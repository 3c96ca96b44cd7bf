// irkiss: --pair demo_trigger,demo_close ; expect: unknown
//
// As direction_one.c, but the device plays and records: one stream may be closed while the other is started, and both write one word.
#include "work.h"

struct snd_pcm {
    void *private_data;
};
struct snd_pcm_substream {
    struct snd_pcm *pcm;
    void *private_data;
};
struct snd_pcm_ops {
    int (*open)(struct snd_pcm_substream *);
    int (*close)(struct snd_pcm_substream *);
    int (*trigger)(struct snd_pcm_substream *, int);
};
extern int snd_pcm_new(void *card, const char *id, int device, int playback, int capture, struct snd_pcm **pcm);
extern void snd_pcm_set_ops(struct snd_pcm *pcm, int direction, const struct snd_pcm_ops *ops);

int running;

static int demo_open(struct snd_pcm_substream *substream)
{
    return 0;
}

static int demo_close(struct snd_pcm_substream *substream)
{
    running = 0;
    return 0;
}

static int demo_trigger(struct snd_pcm_substream *substream, int command)
{
    running = command;
    return 0;
}

static const struct snd_pcm_ops demo_ops = { .open = demo_open, .close = demo_close, .trigger = demo_trigger };

static int demo_init(void)
{
    struct snd_pcm *pcm;
    int error = snd_pcm_new(NULL, "demo", 0, 1, 1, &pcm);
    if (error)
        return error;
    snd_pcm_set_ops(pcm, 0, &demo_ops);
    snd_pcm_set_ops(pcm, 1, &demo_ops);
    return 0;
}

module_init(demo_init)
