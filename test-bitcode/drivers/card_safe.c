// irkiss: --pair demo_open,demo_work ; expect: none ; lazy: yes
//
// A card's private part is the driver's, and a stream has the private data of its device.
#include "work.h"

struct snd_card {
    int number;
    void *private_data;
};
struct snd_pcm {
    struct snd_card *card;
    void *private_data;
};
struct snd_pcm_substream {
    struct snd_pcm *pcm;
    void *private_data;
};
struct snd_pcm_ops {
    int (*open)(struct snd_pcm_substream *);
};
extern int snd_card_new(void *parent, int index, const char *id, struct module *module, int private, struct snd_card **card);
extern int snd_pcm_new(struct snd_card *card, const char *id, int device, int playback, int capture, struct snd_pcm **pcm);
extern void snd_pcm_set_ops(struct snd_pcm *pcm, int direction, const struct snd_pcm_ops *ops);

struct demo {
    struct mutex lock;
    long streams;
};
static struct demo *saved;

static int demo_open(struct snd_pcm_substream *substream)
{
    struct demo *demo = substream->private_data;
    mutex_lock(&demo->lock);
    demo->streams++; // NORACE
    mutex_unlock(&demo->lock);
    return substream->pcm->card->number;
}
static const struct snd_pcm_ops demo_ops = { .open = demo_open };

static void demo_work(struct work_struct *work)
{
    mutex_lock(&saved->lock);
    saved->streams--; // NORACE
    mutex_unlock(&saved->lock);
}
static struct work_struct item = { .func = demo_work };

static int demo_init(void)
{
    struct snd_card *card;
    struct snd_pcm *pcm;
    int error = snd_card_new(NULL, -1, "demo", THIS_MODULE, sizeof(struct demo), &card);
    if (error)
        return error;
    saved = card->private_data;
    error = snd_pcm_new(card, "demo", 0, 1, 0, &pcm);
    if (error)
        return error;
    pcm->private_data = saved;
    snd_pcm_set_ops(pcm, 0, &demo_ops);
    queue_work_on(0, NULL, &item);
    return 0;
}

module_init(demo_init)
