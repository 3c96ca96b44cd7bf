// irkiss: ; expect: none ; lazy: yes
//
// Locks in objects of the kernel, which it holds around the driver's functions; the work item takes each of them itself.
#include "work.h"

struct uart_port;
struct uart_ops {
    void (*start_tx)(struct uart_port *);
};
struct uart_port {
    int line;
    spinlock_t lock;
    const struct uart_ops *ops;
};
extern int uart_add_one_port(void *driver, struct uart_port *port);

struct input_dev {
    const char *name;
    int (*open)(struct input_dev *);
    int (*event)(struct input_dev *, unsigned int, unsigned int, int);
    spinlock_t event_lock;
    struct mutex mutex;
};
extern struct input_dev *input_allocate_device(void);
extern int input_register_device(struct input_dev *dev);

struct gendisk;
struct block_device {
    struct gendisk *bd_disk;
};
struct block_device_operations {
    int (*open)(struct block_device *, unsigned int);
};
struct gendisk {
    int major;
    struct mutex open_mutex;
    const struct block_device_operations *fops;
};
extern struct gendisk *__blk_alloc_disk(int node, void *key);
extern int device_add_disk(void *parent, struct gendisk *disk, void *groups);

struct fb_info;
struct fb_ops {
    int (*fb_open)(struct fb_info *, int);
};
struct fb_info {
    int node;
    struct mutex lock;
    const struct fb_ops *fbops;
};
extern struct fb_info *framebuffer_alloc(size_t size, void *device);
extern int register_framebuffer(struct fb_info *info);

int sent, users, events, opened, shown;

static void demo_start(struct uart_port *port)
{
    sent++; // NORACE
}
static const struct uart_ops uart_ops = { .start_tx = demo_start };
static struct uart_port port = { .ops = &uart_ops };

static int demo_open(struct input_dev *dev)
{
    users++; // NORACE
    return 0;
}
static int demo_event(struct input_dev *dev, unsigned int type, unsigned int code, int value)
{
    events++; // NORACE
    return 0;
}
static struct input_dev *input;

static int demo_disk(struct block_device *device, unsigned int mode)
{
    opened++; // NORACE
    return 0;
}
static const struct block_device_operations disk_ops = { .open = demo_disk };
static struct gendisk *disk;

static int demo_frame(struct fb_info *info, int user)
{
    shown++; // NORACE
    return 0;
}
static const struct fb_ops frame_ops = { .fb_open = demo_frame };
static struct fb_info *info;

static void demo_work(struct work_struct *work)
{
    spin_lock(&port.lock);
    sent++; // NORACE
    spin_unlock(&port.lock);
    mutex_lock(&input->mutex);
    users++; // NORACE
    mutex_unlock(&input->mutex);
    spin_lock(&input->event_lock);
    events++; // NORACE
    spin_unlock(&input->event_lock);
    mutex_lock(&disk->open_mutex);
    opened++; // NORACE
    mutex_unlock(&disk->open_mutex);
    mutex_lock(&info->lock);
    shown++; // NORACE
    mutex_unlock(&info->lock);
}
static struct work_struct item = { .func = demo_work };

static int demo_init(void)
{
    input = input_allocate_device();
    disk = __blk_alloc_disk(0, NULL);
    info = framebuffer_alloc(0, NULL);
    if (!input || !disk || !info)
        return -ENOMEM;
    input->open = demo_open;
    input->event = demo_event;
    disk->fops = &disk_ops;
    info->fbops = &frame_ops;
    queue_work_on(0, NULL, &item);
    if (uart_add_one_port(NULL, &port) || input_register_device(input) || device_add_disk(NULL, disk, NULL))
        return -ENOMEM;
    return register_framebuffer(info);
}

module_init(demo_init)
