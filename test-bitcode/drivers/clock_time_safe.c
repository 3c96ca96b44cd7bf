// irkiss: ; expect: none ; lazy: yes
//
// The time that a clock is asked for is written to the caller's own memory.
#include "part_linux.h"

struct timespec64 { long long tv_sec; long tv_nsec; };
struct ptp_clock_info {
	struct module *owner;
	int (*adjtime)(struct ptp_clock_info *info, long long delta);
	int (*gettime64)(struct ptp_clock_info *info, struct timespec64 *time);
};
struct ptp_clock;
extern struct ptp_clock *ptp_clock_register(struct ptp_clock_info *info, struct device *parent);
extern int ptp_clock_unregister(struct ptp_clock *clock);

struct clock { struct ptp_clock_info info; struct ptp_clock *ptp; struct mutex lock; long long offset; };

static int clock_adjtime(struct ptp_clock_info *info, long long delta)
{
	struct clock *clock = container_of(info, struct clock, info);

	mutex_lock(&clock->lock);
	clock->offset += delta; // NORACE
	mutex_unlock(&clock->lock);
	return 0;
}

static int clock_gettime(struct ptp_clock_info *info, struct timespec64 *time)
{
	struct clock *clock = container_of(info, struct clock, info);

	mutex_lock(&clock->lock);
	time->tv_sec = clock->offset; // NORACE
	mutex_unlock(&clock->lock);
	time->tv_nsec = 0; // NORACE
	return 0;
}

static int clock_probe(struct platform_device *pdev)
{
	struct clock *clock = devm_kzalloc(&pdev->dev, sizeof(*clock), GFP_KERNEL);

	if (!clock)
		return -ENOMEM;
	mutex_init(&clock->lock);
	clock->info.adjtime = clock_adjtime;
	clock->info.gettime64 = clock_gettime;
	platform_set_drvdata(pdev, clock);
	clock->ptp = ptp_clock_register(&clock->info, &pdev->dev);
	return IS_ERR(clock->ptp) ? PTR_ERR(clock->ptp) : 0;
}

static int clock_remove(struct platform_device *pdev)
{
	struct clock *clock = platform_get_drvdata(pdev);

	return ptp_clock_unregister(clock->ptp);
}

static struct platform_driver clock_driver = { .probe = clock_probe, .remove = clock_remove, .driver = { .name = "clock" } };

int init_module(void)
{
	return platform_driver_register(&clock_driver);
}

void cleanup_module(void)
{
	platform_driver_unregister(&clock_driver);
}
