// irkiss: ; expect: race ; lazy: yes
//
// As parameter_ops_safe.c, but the parameter is written without the lock: the kernel's own function writes what its `arg` leads to.
#include "part_linux.h"

struct kernel_param;
struct kernel_param_ops {
	unsigned int flags;
	int (*set)(const char *text, const struct kernel_param *parameter);
	int (*get)(char *buffer, const struct kernel_param *parameter);
	void (*free)(void *arg);
};
struct kernel_param {
	const char *name;
	struct module *mod;
	const struct kernel_param_ops *ops;
	const unsigned short perm;
	signed char level;
	unsigned char flags;
	union { void *arg; };
};
extern int param_set_uint(const char *text, const struct kernel_param *parameter);
extern int param_get_uint(char *buffer, const struct kernel_param *parameter);

static DEFINE_SPINLOCK(lock);
static unsigned int rate = 10;
static void tick(struct timer_list *timer);
static struct timer_list timer;

static void tick(struct timer_list *timer)
{
	unsigned int now;

	spin_lock(&lock);
	now = rate; // RACE
	spin_unlock(&lock);
	if (now)
		mod_timer(timer, jiffies + now);
}

static int rate_set(const char *text, const struct kernel_param *parameter)
{
	return param_set_uint(text, parameter); // RACE
}

static const struct kernel_param_ops rate_ops = { .set = rate_set, .get = param_get_uint };
static const struct kernel_param rate_parameter __attribute__((used, section("__param"), aligned(sizeof(void *)))) =
	{ "rate", THIS_MODULE, &rate_ops, 0200, -1, 0, { &rate } };

int init_module(void)
{
	timer_setup(&timer, tick, 0);
	mod_timer(&timer, jiffies + HZ);
	return 0;
}

void cleanup_module(void)
{
	del_timer_sync(&timer);
}
