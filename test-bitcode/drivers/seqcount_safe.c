// irkiss: ; forms: nopass ; expect: none ; lazy: yes
//
// Readers that have met a writer read again (include/linux/seqlock.h): what they read beside it is never used.
#include "part_linux.h"

typedef struct seqcount { unsigned int sequence; } seqcount_t;

/* As include/linux/seqlock.h has them. */
static inline unsigned int __seqprop_sequence(const seqcount_t *s)
{
	return READ_ONCE(s->sequence);
}

static inline unsigned int read_seqcount_begin(const seqcount_t *s)
{
	unsigned int seq;

	while ((seq = __seqprop_sequence(s)) & 1)
		;
	return seq;
}

static inline int do___read_seqcount_retry(const seqcount_t *s, unsigned int start)
{
	return READ_ONCE(s->sequence) != start;
}

static inline void do_raw_write_seqcount_begin(seqcount_t *s)
{
	s->sequence++;
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
}

static inline void do_raw_write_seqcount_end(seqcount_t *s)
{
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	s->sequence++;
}

static inline void do_write_seqcount_invalidate(seqcount_t *s)
{
	s->sequence += 2;
}

struct demo {
	spinlock_t lock;
	struct timer_list timer;
	seqcount_t seq;
	int value, twice;
};

static void demo_tick(struct timer_list *timer)
{
	struct demo *demo = container_of(timer, struct demo, timer);

	spin_lock_bh(&demo->lock);
	do_raw_write_seqcount_begin(&demo->seq);
	demo->value++;
	demo->twice = 2 * demo->value;
	do_raw_write_seqcount_end(&demo->seq);
	spin_unlock_bh(&demo->lock);
	mod_timer(timer, jiffies + 1);
}

static ssize_t value_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	struct demo *demo = dev_get_drvdata(dev);
	int value, twice;
	unsigned int seq;

	do {
		seq = read_seqcount_begin(&demo->seq);
		value = demo->value;
		twice = demo->twice;
	} while (do___read_seqcount_retry(&demo->seq, seq));
	return sysfs_emit(buf, "%d %d\n", value, twice);
}

static ssize_t value_store(struct device *dev, struct device_attribute *attr, const char *buf, size_t count)
{
	struct demo *demo = dev_get_drvdata(dev);

	spin_lock_bh(&demo->lock);
	do_write_seqcount_invalidate(&demo->seq);
	spin_unlock_bh(&demo->lock);
	return count;
}

static struct device_attribute dev_attr_value = { { "value", 0600 }, value_show, value_store };
static struct attribute *demo_attrs[] = { &dev_attr_value.attr, NULL };
static const struct attribute_group demo_group = { .attrs = demo_attrs };

static int demo_probe(struct platform_device *pdev)
{
	struct demo *demo = devm_kzalloc(&pdev->dev, sizeof(*demo), GFP_KERNEL);

	if (!demo)
		return -ENOMEM;
	platform_set_drvdata(pdev, demo);
	spin_lock_init(&demo->lock);
	timer_setup(&demo->timer, demo_tick, 0);
	mod_timer(&demo->timer, jiffies + 1);
	return devm_device_add_group(&pdev->dev, &demo_group);
}

static int demo_remove(struct platform_device *pdev)
{
	struct demo *demo = platform_get_drvdata(pdev);

	del_timer_sync(&demo->timer);
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
