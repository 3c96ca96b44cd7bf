// irkiss: ; expect: unknown ; reason: several
//
// A handler of input is connected to every device that it fits (drivers/input/input.c: input_attach_handler): the lock under which one
// device's events come is not that of another's.
#include "part_linux.h"

struct input_dev { spinlock_t event_lock; };
struct input_device_id { u32 flags; };
struct input_handler;
struct input_handle { void *private; struct input_dev *dev; struct input_handler *handler; };
struct input_handler {
	void *private;
	void (*event)(struct input_handle *handle, unsigned int type, unsigned int code, int value);
	int (*connect)(struct input_handler *handler, struct input_dev *dev, const struct input_device_id *id);
	void (*disconnect)(struct input_handle *handle);
	const char *name;
};
extern int input_register_handler(struct input_handler *handler);
extern void input_unregister_handler(struct input_handler *handler);
extern int input_register_handle(struct input_handle *handle);
extern void input_unregister_handle(struct input_handle *handle);
extern void *kzalloc_node(size_t size, gfp_t flags, int node);
extern void *kmalloc(size_t size, gfp_t flags);
extern void kfree(const void *object);

static long keys;

static void demo_event(struct input_handle *handle, unsigned int type, unsigned int code, int value)
{
	keys++;
}

static int demo_connect(struct input_handler *handler, struct input_dev *dev, const struct input_device_id *id)
{
	struct input_handle *handle = kmalloc(sizeof(*handle), GFP_KERNEL);
	int error;

	if (!handle)
		return -ENOMEM;
	handle->dev = dev;
	handle->handler = handler;
	error = input_register_handle(handle);
	if (error)
		kfree(handle);
	return error;
}

static void demo_disconnect(struct input_handle *handle)
{
	input_unregister_handle(handle);
	kfree(handle);
}

static struct input_handler demo_handler = {
	.event = demo_event, .connect = demo_connect, .disconnect = demo_disconnect, .name = "demo",
};

int init_module(void)
{
	return input_register_handler(&demo_handler);
}

void cleanup_module(void)
{
	input_unregister_handler(&demo_handler);
}
