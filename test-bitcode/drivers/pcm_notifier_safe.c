// irkiss: ; expect: none ; lazy: yes
//
// A PCM device is registered, disconnected and freed one after the other: the notifier is told under the mutex of the devices.
#include "kernel.h"

struct snd_pcm;
struct snd_pcm_notify {
    int (*n_register)(struct snd_pcm *pcm);
    int (*n_disconnect)(struct snd_pcm *pcm);
    int (*n_unregister)(struct snd_pcm *pcm);
    struct list_head list;
};
extern int snd_pcm_notify(struct snd_pcm_notify *notify, int free);

static int devices;

static int demo_register(struct snd_pcm *pcm)
{
    devices++; // NORACE
    return 0;
}

static int demo_disconnect(struct snd_pcm *pcm)
{
    devices--; // NORACE
    return 0;
}

static struct snd_pcm_notify demo_notify = { .n_register = demo_register, .n_disconnect = demo_disconnect };

static int demo_init(void)
{
    return snd_pcm_notify(&demo_notify, 0);
}

module_init(demo_init)
