// irkiss: ; forms: nopass ; expect: none ; lazy: yes
//
// Numbers that debugfs shows: the kernel reads them, and writes those that may be written, until their directory is removed.
#include "part_linux.h"

struct dentry;
extern struct dentry *debugfs_create_dir(const char *name, struct dentry *parent);
extern void debugfs_create_u64(const char *name, umode_t mode, struct dentry *parent, u64 *value);
extern void debugfs_create_x32(const char *name, umode_t mode, struct dentry *parent, u32 *value);
extern void debugfs_create_bool(const char *name, umode_t mode, struct dentry *parent, bool *value);
extern void debugfs_remove(struct dentry *dentry);

static struct timer_list meter_timer;
static struct dentry *meter_directory;
static u64 level;
static u32 version;
static bool running;
static int seen;

static void meter_tick(struct timer_list *timer)
{
	seen = READ_ONCE(running); // NORACE
	WRITE_ONCE(level, level + 1); // NORACE
	seen += version; // NORACE
	mod_timer(timer, 250);
}

int init_module(void)
{
	timer_setup(&meter_timer, meter_tick, 0);
	version = 3;
	meter_directory = debugfs_create_dir("meter", NULL);
	debugfs_create_u64("level", 0444, meter_directory, &level);
	debugfs_create_x32("version", 0444, meter_directory, &version);
	debugfs_create_bool("running", 0644, meter_directory, &running);
	mod_timer(&meter_timer, 250);
	return 0;
}

void cleanup_module(void)
{
	debugfs_remove(meter_directory);
	del_timer_sync(&meter_timer);
	level = 0; // NORACE
}
