// irkiss: ; expect: none ; lazy: yes
//
// What the kernel has put into fields that drivers call through: terminals, the transport of a virtio device.
#include "answers.h"

struct tty_struct;
struct tty_operations {
    int (*write)(struct tty_struct *, const unsigned char *, int);
    int (*write_room)(struct tty_struct *);
};
struct tty_struct {
    int magic;
    const struct tty_operations *ops;
};
extern struct tty_struct *terminal_of_the_kernel(void);

struct virtio_device;
struct virtqueue {
    struct virtio_device *vdev;
};
struct virtio_config_ops {
    int (*find_vqs)(struct virtio_device *, unsigned int, struct virtqueue **, void **, const char *const *, const _Bool *, void *);
};
struct virtio_device {
    int index;
    const struct virtio_config_ops *config;
};
extern struct virtio_device *virtio_of_the_kernel(void);

static const unsigned char message[4];
static struct virtqueue none, *queues[2] = { &none, &none };

static void answers(void)
{
    struct tty_struct *tty = terminal_of_the_kernel();
    struct virtio_device *virtio = virtio_of_the_kernel();
    if (tty) {
        CHECK(tty->ops->write(tty, message, 4) <= 4);
        CHECK(tty->ops->write_room(tty) >= 0);
    }
    if (virtio) {
        int error = virtio->config->find_vqs(virtio, 2, queues, NULL, NULL, NULL, NULL);
        CHECK(error <= 0);
        CHECK(error || (queues[0] != &none && queues[1] != &none && queues[0] != queues[1] && queues[1]->vdev == virtio));
    }
}
