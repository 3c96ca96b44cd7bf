// irkiss: ; expect: none ; lazy: yes
//
// Items are made and dropped under the mutex of the subsystem.
#include "part_linux.h"

struct config_item { char *name; int type; };
struct config_group { struct config_item item; };
struct configfs_subsystem { struct config_group su_group; struct mutex su_mutex; };
struct configfs_item_operations {
    void (*release)(struct config_item *);
    int (*allow_link)(struct config_item *source, struct config_item *target);
    void (*drop_link)(struct config_item *source, struct config_item *target);
};
struct configfs_group_operations {
    struct config_item *(*make_item)(struct config_group *group, const char *name);
    void (*drop_item)(struct config_group *group, struct config_item *item);
};
struct config_item_type { const struct configfs_item_operations *items; const struct configfs_group_operations *groups; };
extern int configfs_register_subsystem(struct configfs_subsystem *subsystem);

static int items;

static struct config_item *demo_make(struct config_group *group, const char *name)
{
    items++; // NORACE
    return NULL;
}

static void demo_drop(struct config_group *group, struct config_item *item)
{
    items--; // NORACE
}

static const struct configfs_item_operations demo_items = { 0 };
static const struct configfs_group_operations demo_groups = { .make_item = demo_make, .drop_item = demo_drop };
const struct config_item_type demo_type = { &demo_items, &demo_groups };
static struct configfs_subsystem demo;

int init_module(void)
{
    return configfs_register_subsystem(&demo);
}

void cleanup_module(void)
{
}
