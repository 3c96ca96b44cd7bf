// irkiss: ; expect: race ; lazy: yes
//
// Whoever needs memory makes caches shrink, several at once.
#include "kernel.h"

struct shrink_control {
    unsigned long nr_to_scan;
};
struct shrinker {
    unsigned long (*count_objects)(struct shrinker *, struct shrink_control *);
    unsigned long (*scan_objects)(struct shrinker *, struct shrink_control *);
    long batch;
};
extern int register_shrinker(struct shrinker *shrinker, const char *name, ...);
extern void unregister_shrinker(struct shrinker *shrinker);

static DEFINE_MUTEX(lock);
unsigned long kept = 10;

static unsigned long demo_count(struct shrinker *shrinker, struct shrink_control *control)
{
    return READ_ONCE(kept); // RACE
}

static unsigned long demo_scan(struct shrinker *shrinker, struct shrink_control *control)
{
    kept--; // RACE
    return 1;
}
static struct shrinker demo_shrinker = { .count_objects = demo_count, .scan_objects = demo_scan };

static int demo_init(void)
{
    return register_shrinker(&demo_shrinker, "demo");
}

static void demo_exit(void)
{
    unregister_shrinker(&demo_shrinker);
    kept = 0; // NORACE
}

module_init(demo_init)
module_exit(demo_exit)
