// irkiss: ; expect: race ; lazy: yes
//
// A switch of a counter is looked at and set by two writers of its sysfs file without a lock. The private data is what
// counter_priv() of the counter core gives, which is one object for one counter.
#include "part_linux.h"

struct counter_device;
struct counter_count;
struct counter_comp {
	int type;
	const char *name;
	void *priv;
	union {
		int (*action_read)(struct counter_device *, struct counter_count *, void *, int *);
		int (*count_u8_read)(struct counter_device *, struct counter_count *, u8 *);
	};
	union {
		int (*action_write)(struct counter_device *, struct counter_count *, void *, int);
		int (*count_u8_write)(struct counter_device *, struct counter_count *, u8);
	};
};
struct counter_count { int id; const char *name; struct counter_comp *ext; size_t num_ext; };
struct counter_ops { int (*count_read)(struct counter_device *, struct counter_count *, u64 *); };
struct counter_device { const char *name; struct device *parent; const struct counter_ops *ops; struct counter_count *counts; size_t num_counts; };
extern void *counter_priv(const struct counter_device *counter);
extern struct counter_device *devm_counter_alloc(struct device *dev, size_t sizeof_priv);
extern int devm_counter_add(struct device *dev, struct counter_device *counter);

struct gate {
	struct mutex lock;
	atomic_t seen;
	int irq;
	bool open;
	struct counter_count count;
};

static irqreturn_t gate_isr(int irq, void *data)
{
	struct gate *gate = counter_priv(data);

	__atomic_fetch_add(&gate->seen.counter, 1, __ATOMIC_RELAXED);
	return IRQ_HANDLED;
}

static int gate_enable_read(struct counter_device *counter, struct counter_count *count, u8 *value)
{
	struct gate *gate = counter_priv(counter);

	*value = gate->open; // RACE
	return 0;
}

static int gate_enable_write(struct counter_device *counter, struct counter_count *count, u8 value)
{
	struct gate *gate = counter_priv(counter);

	if (gate->open != value) { // RACE?
		if (value)
			enable_irq(gate->irq);
		else
			disable_irq(gate->irq);
		gate->open = value; // RACE
	}
	return 0;
}

static int gate_count_read(struct counter_device *counter, struct counter_count *count, u64 *value)
{
	struct gate *gate = counter_priv(counter);

	*value = __atomic_load_n(&gate->seen.counter, __ATOMIC_RELAXED);
	return 0;
}

static struct counter_comp gate_ext[] = {
	{ .type = 1, .name = "enable", .count_u8_read = gate_enable_read, .count_u8_write = gate_enable_write },
};
static const struct counter_ops gate_ops = { .count_read = gate_count_read };

static int gate_probe(struct platform_device *pdev)
{
	struct counter_device *counter = devm_counter_alloc(&pdev->dev, sizeof(struct gate));
	struct gate *gate;
	int error;

	if (!counter)
		return -ENOMEM;
	gate = counter_priv(counter);
	gate->irq = platform_get_irq(pdev, 0);
	if (gate->irq < 0)
		return gate->irq;
	mutex_init(&gate->lock);
	gate->count.ext = gate_ext;
	gate->count.num_ext = 1;
	counter->name = "gate";
	counter->parent = &pdev->dev;
	counter->ops = &gate_ops;
	counter->counts = &gate->count;
	counter->num_counts = 1;
	error = devm_request_irq(&pdev->dev, gate->irq, gate_isr, 0, "gate", counter);
	if (error)
		return error;
	return devm_counter_add(&pdev->dev, counter);
}

static struct platform_driver gate_driver = { .probe = gate_probe, .driver = { .name = "gate" } };

int init_module(void)
{
	return platform_driver_register(&gate_driver);
}

void cleanup_module(void)
{
	platform_driver_unregister(&gate_driver);
}
