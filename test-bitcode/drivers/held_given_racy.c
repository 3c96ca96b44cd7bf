// irkiss: ; expect: race ; lazy: yes
//
// As held_given_safe.c, but the driver gives no mutex: nobody keeps its ioctls apart. The work item takes no lock of the stream.
#include "work.h"

struct video_device;
struct v4l2_fh;
struct v4l2_ioctl_ops {
    int (*vidioc_s_input)(struct file *, struct v4l2_fh *, unsigned int);
};
struct video_device {
    const char *name;
    const struct v4l2_ioctl_ops *ioctl_ops;
    struct mutex *lock;
};
extern int __video_register_device(struct video_device *device, int type, int nr, int warn, struct module *owner);

struct snd_pcm_substream;
struct snd_pcm_ops {
    int (*trigger)(struct snd_pcm_substream *, int);
};
struct snd_pcm_substream {
    const struct snd_pcm_ops *ops;
};
extern void snd_pcm_stream_lock_irq(struct snd_pcm_substream *stream);
extern void snd_pcm_stream_unlock_irq(struct snd_pcm_substream *stream);

int inputs, played;
static DEFINE_MUTEX(lock);
static struct snd_pcm_substream *stream;

static int demo_input(struct file *file, struct v4l2_fh *handle, unsigned int number)
{
    inputs++; // RACE
    return 0;
}
static const struct v4l2_ioctl_ops video_ops = { .vidioc_s_input = demo_input };
static struct video_device video = { .ioctl_ops = &video_ops };

static int demo_trigger(struct snd_pcm_substream *substream, int command)
{
    WRITE_ONCE(stream, substream);
    played++; // RACE
    return 0;
}
static const struct snd_pcm_ops pcm_ops = { .trigger = demo_trigger };
extern void snd_pcm_set_ops(void *pcm, int direction, const struct snd_pcm_ops *ops);

static void demo_work(struct work_struct *work)
{
    struct snd_pcm_substream *substream = READ_ONCE(stream);
    mutex_lock(&lock);
    inputs++; // RACE
    mutex_unlock(&lock);
    if (!substream)
        return;
    played++; // RACE
}
static struct work_struct item = { .func = demo_work };

static int demo_init(void)
{
    snd_pcm_set_ops(NULL, 0, &pcm_ops);
    queue_work_on(0, NULL, &item);
    return __video_register_device(&video, 0, -1, 1, NULL);
}

module_init(demo_init)
