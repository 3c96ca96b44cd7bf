// irkiss: ; expect: race ; lazy: yes
//
// As nearest_size_safe.c, but what is asked for does happen.
#include "kernel.h"

struct media_entity {
    const char *name;
    unsigned short num_pads;
};
struct media_pad {
    unsigned int index;
};
struct extcon_dev;
extern int media_entity_pads_init(struct media_entity *entity, unsigned short count, struct media_pad *pads);
extern struct extcon_dev *devm_extcon_dev_allocate(void *dev, const unsigned int *cables);
extern const void *__v4l2_find_nearest_size(const void *array, size_t count, size_t entry, size_t width_at, size_t height_at, int width,
                                            int height);

struct size {
    unsigned int width, height, lines;
};
static const struct size sizes[] = { { 640, 480, 500 }, { 1280, 720, 750 } };
static const unsigned int cables[] = { 1, 0 };
static int state;

static DEFINE_MUTEX(lock);
static DEFINE_MUTEX(another);

static void set_state(int wrong, int to)
{
    struct mutex *taken = wrong ? &another : &lock;

    mutex_lock(taken);
    state = to; // RACE
    mutex_unlock(taken);
}

static ssize_t demo_write(struct file *file, const char __user *from, size_t count, loff_t *at)
{
    const struct size *size = __v4l2_find_nearest_size(sizes, 2, sizeof(sizes[0]), 0, 4, (int)count, 480);

    set_state(size && size->lines == 750, 1);
    return count;
}

static long demo_ioctl(struct file *file, unsigned int command, unsigned long argument)
{
    struct media_entity entity = { "demo", 0 };
    struct media_pad pad = { 0 };

    set_state(media_entity_pads_init(&entity, 1, &pad) < 0, 2);
    set_state((unsigned long)devm_extcon_dev_allocate(NULL, cables) >= -4095ul, 3);
    return 0;
}

static ssize_t demo_read(struct file *file, char __user *to, size_t count, loff_t *at)
{
    int seen;

    mutex_lock(&lock);
    seen = state; // RACE
    mutex_unlock(&lock);
    return seen;
}

static const struct file_operations demo_fops = { .read = demo_read, .write = demo_write, .unlocked_ioctl = demo_ioctl };
static struct miscdevice demo = { .minor = MISC_DYNAMIC_MINOR, .name = "demo", .fops = &demo_fops };

static int demo_init(void)
{
    return misc_register(&demo);
}

module_init(demo_init)
