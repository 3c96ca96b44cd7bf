// irkiss: --property deadlock ; expect: none ; lazy: yes
//
// A timer that is set up to run in softirq does not interrupt who has switched these off. Another one runs in an interrupt.
#include "../drivers/part_linux.h"

struct hrtimer {
	unsigned long node[3];
	long long expires, softexpires;
	int (*function)(struct hrtimer *);
	void *base;
};
extern void hrtimer_init(struct hrtimer *timer, int clock, int mode);
extern void hrtimer_start_range_ns(struct hrtimer *timer, long long time, unsigned long long range, int mode);
#define HRTIMER_MODE_REL 1
#define HRTIMER_MODE_REL_SOFT 5

static struct hrtimer tick, other;
static DEFINE_SPINLOCK(lock);
int count;

static int tick_expired(struct hrtimer *timer)
{
	spin_lock(&lock);
	count++;
	spin_unlock(&lock);
	return 0;
}

static int other_expired(struct hrtimer *timer)
{
	return 0;
}

static ssize_t tick_write(struct file *file, const char __user *buffer, size_t size, loff_t *position)
{
	spin_lock_bh(&lock);
	count = 0;
	spin_unlock_bh(&lock);
	hrtimer_start_range_ns(&tick, 100, 0, HRTIMER_MODE_REL_SOFT);
	hrtimer_start_range_ns(&other, 100, 0, HRTIMER_MODE_REL);
	return size;
}

static const struct file_operations tick_fops = { .owner = THIS_MODULE, .write = tick_write };
static struct miscdevice tick_device = { .minor = MISC_DYNAMIC_MINOR, .name = "tick", .fops = &tick_fops };

static int tick_init(void)
{
	hrtimer_init(&tick, 1, HRTIMER_MODE_REL_SOFT);
	tick.function = tick_expired;
	hrtimer_init(&other, 1, HRTIMER_MODE_REL);
	other.function = other_expired;
	return misc_register(&tick_device);
}

int init_module(void)
{
	return tick_init();
}
