// irkiss: --property removed ; expect: finds
//
// As render_holds.c, with a display (DRIVER_MODESET): a console in the kernel lets go of its reference before it closes.
#include "../drivers/kernel.h"

struct drm_device;
struct drm_file {
    void *driver_priv;
};
struct drm_ioctl_desc {
    unsigned int cmd;
    int flags;
    int (*func)(struct drm_device *, void *, struct drm_file *);
    const char *name;
};
struct drm_driver {
    int (*open)(struct drm_device *, struct drm_file *);
    void (*postclose)(struct drm_device *, struct drm_file *);
    unsigned int driver_features;
    const struct drm_ioctl_desc *ioctls;
    int num_ioctls;
    const struct file_operations *fops;
};
extern int drm_dev_register(struct drm_device *device, unsigned long flags);
extern struct drm_device *drm_dev_alloc(const struct drm_driver *driver, void *parent);

int users, drawn;

static int render_open(struct drm_device *device, struct drm_file *file)
{
    WRITE_ONCE(users, 1);
    return 0;
}

static void render_postclose(struct drm_device *device, struct drm_file *file)
{
    WRITE_ONCE(users, 0); // FINDS:use-after-removal
}

static int render_draw(struct drm_device *device, void *data, struct drm_file *file)
{
    WRITE_ONCE(drawn, 1);
    return 0;
}

static const struct drm_ioctl_desc render_ioctls[] = { { .cmd = 1, .func = render_draw, .name = "draw" } };
static const struct file_operations render_fops = { .owner = THIS_MODULE };
static const struct drm_driver render_driver = {
    .open = render_open,
    .postclose = render_postclose,
    .driver_features = 1 | 2 | 8,
    .ioctls = render_ioctls,
    .num_ioctls = 1,
    .fops = &render_fops,
};

static int render_init(void)
{
    struct drm_device *device = drm_dev_alloc(&render_driver, NULL);

    return device ? drm_dev_register(device, 0) : -ENOMEM;
}

static void render_exit(void)
{
    WRITE_ONCE(drawn, 0); // FINDS:use-after-removal
}

module_init(render_init)
module_exit(render_exit)
