// irkiss: ; forms: nopass ; expect: race ; lazy: yes
//
// More numbers of one kind than the model of debugfs keeps: any of them may be the one that is read.
#include "part_linux.h"
struct dentry;
extern struct dentry *debugfs_create_dir(const char *name, struct dentry *parent);
extern void debugfs_create_u32(const char *name, umode_t mode, struct dentry *parent, u32 *value);
extern void debugfs_remove(struct dentry *dentry);
static struct timer_list t;
static struct dentry *d;
static u32 n0, n1, n2, n3, n4, n5, n6, n7, n8, n9, n10;
static void tick(struct timer_list *x)
{
	n8++; // RACE
	n9++; // RACE
	mod_timer(x, 250);
}
int init_module(void)
{
	timer_setup(&t, tick, 0);
	d = debugfs_create_dir("m", NULL);
	debugfs_create_u32("n0", 0444, d, &n0);
	debugfs_create_u32("n1", 0444, d, &n1);
	debugfs_create_u32("n2", 0444, d, &n2);
	debugfs_create_u32("n3", 0444, d, &n3);
	debugfs_create_u32("n4", 0444, d, &n4);
	debugfs_create_u32("n5", 0444, d, &n5);
	debugfs_create_u32("n6", 0444, d, &n6);
	debugfs_create_u32("n7", 0444, d, &n7);
	debugfs_create_u32("n8", 0444, d, &n8);
	debugfs_create_u32("n9", 0444, d, &n9);
	debugfs_create_u32("n10", 0444, d, &n10);
	mod_timer(&t, 250);
	return 0;
}
void cleanup_module(void)
{
	debugfs_remove(d);
	del_timer_sync(&t);
}
