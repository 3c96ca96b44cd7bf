// irkiss: ; expect: none
//
// lock_sock and the lock of a PCM stream exclude.
#include "kernel.h"

extern void lock_sock_nested(void *socket, int subclass);
extern void release_sock(void *socket);
extern unsigned long _snd_pcm_stream_lock_irqsave(void *stream);
extern void snd_pcm_stream_unlock_irqrestore(void *stream, unsigned long flags);

static long socket[8], stream[8];
static long received, played;

static ssize_t demo_read(struct file *file, char __user *buffer, size_t bytes, loff_t *position)
{
    unsigned long flags;
    long value;
    lock_sock_nested(socket, 0);
    value = received; // NORACE
    release_sock(socket);
    flags = _snd_pcm_stream_lock_irqsave(stream);
    value += played; // NORACE
    snd_pcm_stream_unlock_irqrestore(stream, flags);
    return value;
}

static ssize_t demo_write(struct file *file, const char __user *buffer, size_t bytes, loff_t *position)
{
    unsigned long flags;
    lock_sock_nested(socket, 0);
    received++; // NORACE
    release_sock(socket);
    flags = _snd_pcm_stream_lock_irqsave(stream);
    played++; // NORACE
    snd_pcm_stream_unlock_irqrestore(stream, flags);
    return 0;
}

static const struct file_operations demo_fops = {
    .owner = THIS_MODULE,
    .read = demo_read,
    .write = demo_write,
};

static struct miscdevice demo_device = { .minor = 255, .name = "demo", .fops = &demo_fops };

static int demo_init(void)
{
    return misc_register(&demo_device);
}

module_init(demo_init)
