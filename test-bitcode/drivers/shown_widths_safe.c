// irkiss: ; forms: nopass ; expect: none ; lazy: yes
//
// As shown_widths_racy.c, but every access is marked, as the kernel's own is taken to be.
#include "part_linux.h"

typedef unsigned short u16;
struct dentry;
extern struct dentry *debugfs_create_dir(const char *name, struct dentry *parent);
extern void debugfs_create_u8(const char *name, umode_t mode, struct dentry *parent, u8 *value);
extern void debugfs_create_u16(const char *name, umode_t mode, struct dentry *parent, u16 *value);
extern void debugfs_create_u32(const char *name, umode_t mode, struct dentry *parent, u32 *value);
extern void debugfs_create_u64(const char *name, umode_t mode, struct dentry *parent, u64 *value);
extern void debugfs_create_ulong(const char *name, umode_t mode, struct dentry *parent, unsigned long *value);
extern void debugfs_create_bool(const char *name, umode_t mode, struct dentry *parent, bool *value);
extern void debugfs_remove(struct dentry *dentry);

static struct timer_list meter_timer;
static struct dentry *meter_directory;
static unsigned long seen;
static u8 u8_count, u8_limit;
static u16 u16_count, u16_limit;
static u32 u32_count, u32_limit;
static u64 u64_count, u64_limit;
static unsigned long ulong_count, ulong_limit;
static bool bool_count, bool_limit;

static void meter_tick(struct timer_list *timer)
{
	WRITE_ONCE(u8_count, 1); // NORACE
	seen += READ_ONCE(u8_limit); // NORACE
	WRITE_ONCE(u16_count, 1); // NORACE
	seen += READ_ONCE(u16_limit); // NORACE
	WRITE_ONCE(u32_count, 1); // NORACE
	seen += READ_ONCE(u32_limit); // NORACE
	WRITE_ONCE(u64_count, 1); // NORACE
	seen += READ_ONCE(u64_limit); // NORACE
	WRITE_ONCE(ulong_count, 1); // NORACE
	seen += READ_ONCE(ulong_limit); // NORACE
	WRITE_ONCE(bool_count, 1); // NORACE
	seen += READ_ONCE(bool_limit); // NORACE
	mod_timer(timer, 250);
}

int init_module(void)
{
	timer_setup(&meter_timer, meter_tick, 0);
	meter_directory = debugfs_create_dir("meter", NULL);
	debugfs_create_u8("u8_count", 0444, meter_directory, &u8_count);
	debugfs_create_u8("u8_limit", 0644, meter_directory, &u8_limit);
	debugfs_create_u16("u16_count", 0444, meter_directory, &u16_count);
	debugfs_create_u16("u16_limit", 0644, meter_directory, &u16_limit);
	debugfs_create_u32("u32_count", 0444, meter_directory, &u32_count);
	debugfs_create_u32("u32_limit", 0644, meter_directory, &u32_limit);
	debugfs_create_u64("u64_count", 0444, meter_directory, &u64_count);
	debugfs_create_u64("u64_limit", 0644, meter_directory, &u64_limit);
	debugfs_create_ulong("ulong_count", 0444, meter_directory, &ulong_count);
	debugfs_create_ulong("ulong_limit", 0644, meter_directory, &ulong_limit);
	debugfs_create_bool("bool_count", 0444, meter_directory, &bool_count);
	debugfs_create_bool("bool_limit", 0644, meter_directory, &bool_limit);
	mod_timer(&meter_timer, 250);
	return 0;
}

void cleanup_module(void)
{
	debugfs_remove(meter_directory);
	del_timer_sync(&meter_timer);
}
