// irkiss: ; expect: race ; lazy: yes
//
// Something is done when time has gone on, by three clocks: each is looked at twice, and has moved meanwhile.
#define jiffies jiffies_of_64_bits
#include "part_linux.h"
#undef jiffies
extern volatile unsigned int jiffies;
extern u64 get_jiffies_64(void);
extern long long ktime_get(void);

static unsigned int first;
static u64 first_64;
static long long first_time;
static int soon, late, later;

static ssize_t gear_read(struct file *file, char __user *buffer, size_t bytes, loff_t *position)
{
	if (jiffies - first > 100)
		soon++; // RACE
	if (get_jiffies_64() > first_64 + 100)
		late++; // RACE
	if (ktime_get() > first_time + 100)
		later++; // RACE
	return 0;
}

static const struct file_operations gear_fops = { .owner = THIS_MODULE, .read = gear_read };
static struct miscdevice gear_misc = { .minor = MISC_DYNAMIC_MINOR, .name = "gear", .fops = &gear_fops };

int init_module(void)
{
	first = jiffies;
	first_64 = get_jiffies_64();
	first_time = ktime_get();
	return misc_register(&gear_misc);
}

void cleanup_module(void)
{
	misc_deregister(&gear_misc);
}
