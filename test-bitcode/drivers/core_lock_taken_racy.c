// irkiss: ; expect: race
//
// As core_lock_taken_safe.c, without the lock.
#include "net.h"
#include "work.h"

struct rproc_ops;
struct rproc {
    const char *name;
    const struct rproc_ops *ops;
    void *priv;
    struct mutex lock;
};
struct rproc_ops {
    int (*start)(struct rproc *rproc);
    int (*stop)(struct rproc *rproc);
};
extern struct rproc *rproc_alloc(struct device *dev, const char *name, const struct rproc_ops *ops, const char *firmware, int size);
extern int rproc_add(struct rproc *rproc);
static struct rproc *own;
int running;
static struct work_struct crash;

static int demo_start(struct rproc *rproc)
{
    running = 1; // RACE
    return 0;
}

static void demo_crash(struct work_struct *work)
{
    running = 0; // RACE
}

static int demo_stop(struct rproc *rproc)
{
    queue_work_on(64, NULL, &crash);
    return 0;
}

static const struct rproc_ops demo_ops = { .start = demo_start, .stop = demo_stop };

static int demo_init(void)
{
    crash.func = demo_crash;
    own = rproc_alloc(NULL, "demo", &demo_ops, NULL, 0);
    if (!own)
        return -ENOMEM;
    return rproc_add(own);
}

module_init(demo_init)
