// irkiss: ; forms: nopass ; expect: unknown ; lazy: yes
//
// A tasklet that is disabled before anybody schedules it does not run: nobody needs to wait for it.
#include "part_linux.h"

struct tasklet_struct {
	struct tasklet_struct *next;
	unsigned long state;
	atomic_t count;
	bool use_callback;
	void (*callback)(struct tasklet_struct *);
	unsigned long data;
};
extern void tasklet_setup(struct tasklet_struct *t, void (*callback)(struct tasklet_struct *));
extern void __tasklet_schedule(struct tasklet_struct *t);
extern void tasklet_kill(struct tasklet_struct *t);

/* As include/linux/interrupt.h has it. */
static inline void tasklet_disable_nosync(struct tasklet_struct *t)
{
	__atomic_fetch_add(&t->count.counter, 1, __ATOMIC_SEQ_CST);
}

struct demo {
	spinlock_t lock;
	struct timer_list timer;
	struct tasklet_struct tasklet;
	struct mutex mutex;
	int value;
};

static void demo_tick(struct timer_list *timer)
{
	struct demo *demo = container_of(timer, struct demo, timer);

	__tasklet_schedule(&demo->tasklet);
	mod_timer(timer, jiffies + 1);
}

static void demo_task(struct tasklet_struct *tasklet)
{
	struct demo *demo = container_of(tasklet, struct demo, tasklet);

	demo->value++;
}

static ssize_t value_store(struct device *dev, struct device_attribute *attr, const char *buf, size_t count)
{
	struct demo *demo = dev_get_drvdata(dev);

	mutex_lock(&demo->mutex);
	demo->value = 0;
	mutex_unlock(&demo->mutex);
	return count;
}

static struct device_attribute dev_attr_value = { { "value", 0200 }, NULL, value_store };
static struct attribute *demo_attrs[] = { &dev_attr_value.attr, NULL };
static const struct attribute_group demo_group = { .attrs = demo_attrs };

static int demo_probe(struct platform_device *pdev)
{
	struct demo *demo = devm_kzalloc(&pdev->dev, sizeof(*demo), GFP_KERNEL);

	if (!demo)
		return -ENOMEM;
	platform_set_drvdata(pdev, demo);
	spin_lock_init(&demo->lock);
	mutex_init(&demo->mutex);
	tasklet_setup(&demo->tasklet, demo_task);
	timer_setup(&demo->timer, demo_tick, 0);
	tasklet_disable_nosync(&demo->tasklet);
	__tasklet_schedule(&demo->tasklet);
	mod_timer(&demo->timer, jiffies + 1);
	return devm_device_add_group(&pdev->dev, &demo_group);
}

static int demo_remove(struct platform_device *pdev)
{
	struct demo *demo = platform_get_drvdata(pdev);

	del_timer_sync(&demo->timer);
	tasklet_kill(&demo->tasklet);
	return 0;
}

static struct platform_driver demo_driver = { .probe = demo_probe, .remove = demo_remove, .driver = { .name = "demo" } };

int init_module(void)
{
	return platform_driver_register(&demo_driver);
}

void cleanup_module(void)
{
	platform_driver_unregister(&demo_driver);
}
