// irkiss: --property uaf ; forms: nopass ; expect: uaf
//
// As array_erased_holds.c, but what was found is used when the lock is given back.
#include "../drivers/part_linux.h"

struct xarray { spinlock_t xa_lock; unsigned int xa_flags; void *xa_head; };
#define DEFINE_XARRAY(x) struct xarray x = { { { { 0 }, 0xdead4ead, -1u, (void *)-1L } }, 0, NULL }
#define xa_lock(xa) spin_lock(&(xa)->xa_lock)
#define xa_unlock(xa) spin_unlock(&(xa)->xa_lock)
extern void *xa_load(struct xarray *xa, unsigned long index);
extern void *xa_store(struct xarray *xa, unsigned long index, void *entry, gfp_t gfp);
extern void *xa_erase(struct xarray *xa, unsigned long index);
extern void *xa_find(struct xarray *xa, unsigned long *index, unsigned long max, unsigned int filter);
extern void *xa_find_after(struct xarray *xa, unsigned long *index, unsigned long max, unsigned int filter);
extern int __xa_insert(struct xarray *xa, unsigned long index, void *entry, gfp_t gfp);
extern void *__xa_store(struct xarray *xa, unsigned long index, void *entry, gfp_t gfp);
extern void *__xa_cmpxchg(struct xarray *xa, unsigned long index, void *old, void *entry, gfp_t gfp);
extern void xa_destroy(struct xarray *xa);

struct entry { unsigned long hits; };
static DEFINE_XARRAY(entries);

static long demo_ioctl(struct file *file, unsigned int command, unsigned long argument)
{
	struct entry *entry;
	long hits = 0;

	if (command) {
		entry = xa_erase(&entries, argument & 1);
		kfree(entry);
		return 0;
	}
	xa_lock(&entries);
	entry = xa_load(&entries, argument & 1);
	xa_unlock(&entries);
	if (entry)
		hits = entry->hits; // FREED
	return hits & 0xff;
}

static const struct file_operations demo_operations = { .owner = THIS_MODULE, .unlocked_ioctl = demo_ioctl };
static struct miscdevice demo_misc = { .minor = MISC_DYNAMIC_MINOR, .name = "demo", .fops = &demo_operations };

int init_module(void)
{
	struct entry *entry = kzalloc(sizeof(*entry), GFP_KERNEL);
	int error;

	if (!entry)
		return -ENOMEM;
	xa_lock(&entries);
	error = __xa_insert(&entries, 0, entry, GFP_ATOMIC);
	xa_unlock(&entries);
	if (error) {
		kfree(entry);
		return error;
	}
	error = misc_register(&demo_misc);
	if (error)
		kfree(xa_erase(&entries, 0));
	return error;
}

void cleanup_module(void)
{
	struct entry *entry;
	unsigned long index = 0;

	misc_deregister(&demo_misc);
	for (entry = xa_find(&entries, &index, ~0ul, 8); entry; entry = xa_find_after(&entries, &index, ~0ul, 8))
		kfree(entry);
	xa_destroy(&entries);
}
