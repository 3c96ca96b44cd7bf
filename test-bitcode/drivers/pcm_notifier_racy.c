// irkiss: ; expect: race ; lazy: yes
//
// As pcm_notifier_safe.c, but a file shows what the notifier counts, and takes no lock.
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
    devices++; // RACE
    return 0;
}

static int demo_disconnect(struct snd_pcm *pcm)
{
    devices--; // RACE
    return 0;
}

static struct snd_pcm_notify demo_notify = { .n_register = demo_register, .n_disconnect = demo_disconnect };

static ssize_t demo_read(struct file *file, char *buffer, size_t count, loff_t *position)
{
    return devices; // RACE
}
static const struct file_operations demo_operations = { .owner = THIS_MODULE, .read = demo_read };
static struct miscdevice demo_misc = { .minor = MISC_DYNAMIC_MINOR, .name = "demo", .fops = &demo_operations };

static int demo_init(void)
{
    int failed = misc_register(&demo_misc);
    return failed ? failed : snd_pcm_notify(&demo_notify, 0);
}

module_init(demo_init)
