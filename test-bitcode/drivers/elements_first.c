// irkiss: ; expect: race ; golden: yes
//
// A struct begins with an array of structs. What is indexed there stays there: what lies behind the array is no memory that two calls
// have in common and one writes; nor is a variable of each call whose address a function without a model is given.
#include "platform.h"

struct element {
    unsigned int id, data;
};
struct demo {
    struct element elements[3];
    int *limit;
};
struct found;
static struct demo *demo;

extern struct found *demo_find(struct device *dev, int *state);

static inline void *zalloc(size_t size)
{
    return __kmalloc(size, GFP_KERNEL);
}

static ssize_t element_store(struct device *dev, struct device_attribute *attribute, const char *text, size_t n)
{
    int state = 0;
    demo->elements[n].id = n; // RACE
    demo->elements[n].data = 1; // RACE
    if (!demo_find(dev, &state))
        return -ENOMEM;
    return *demo->limit + state;
}
static struct device_attribute element_attribute = { { "element", 0200 }, .store = element_store };

static int demo_probe(struct platform_device *dev)
{
    demo = zalloc(sizeof(*demo));
    if (!demo)
        return -ENOMEM;
    demo->limit = zalloc(sizeof(int));
    if (!demo->limit)
        return -ENOMEM;
    return device_create_file(&dev->dev, &element_attribute);
}

static struct platform_driver demo_driver = {
    .probe = demo_probe,
    .driver = { .name = "demo" },
};

PLATFORM_MODULE(demo_driver)
