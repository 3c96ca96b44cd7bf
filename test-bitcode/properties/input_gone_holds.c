// irkiss: --property uaf ; expect: none
//
// Unregistering an input device frees it. The timer that reports its keys has ended before.
#include "../drivers/part_linux.h"

struct input_dev { const char *name; struct device dev; };
extern struct input_dev *input_allocate_device(void);
extern void input_free_device(struct input_dev *device);
extern int input_register_device(struct input_dev *device);
extern void input_unregister_device(struct input_dev *device);
extern void input_event(struct input_dev *device, unsigned int type, unsigned int code, int value);

struct key { struct input_dev *input; struct timer_list timer; };

static void key_tick(struct timer_list *timer)
{
	struct key *key = container_of(timer, struct key, timer);

	input_event(key->input, 1, 2, 0);
	mod_timer(timer, jiffies + HZ);
}

static int key_probe(struct platform_device *device)
{
	struct key *key = kzalloc(sizeof(*key), GFP_KERNEL);
	int error = -ENOMEM;

	if (!key)
		return -ENOMEM;
	key->input = input_allocate_device();
	if (!key->input)
		goto no_input;
	timer_setup(&key->timer, key_tick, 0);
	error = input_register_device(key->input);
	if (error)
		goto not_registered;
	platform_set_drvdata(device, key);
	mod_timer(&key->timer, jiffies + HZ);
	return 0;

not_registered:
	input_free_device(key->input);
no_input:
	kfree(key);
	return error;
}

static int key_remove(struct platform_device *device)
{
	struct key *key = platform_get_drvdata(device);

	del_timer_sync(&key->timer);
	input_unregister_device(key->input);
	kfree(key);
	return 0;
}

static struct platform_driver key_driver = { .probe = key_probe, .remove = key_remove, .driver = { .name = "key" } };

int init_module(void)
{
	return platform_driver_register(&key_driver);
}

void cleanup_module(void)
{
	platform_driver_unregister(&key_driver);
}
