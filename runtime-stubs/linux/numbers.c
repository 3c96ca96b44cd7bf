/* Small numbers, tables of objects by number, and calls for each object of a kind (lib/idr.c, lib/xarray.c,
 * lib/radix-tree.c, drivers/base/core.c). Of a table, the object entered last is remembered; any other number finds nothing.
 */
#include "irkiss_linux.h"

enum { EEXIST = 17 };

/* ---- Numbers without objects: one that nobody else has, until it is given back. The last four are remembered. ---- */
#define GIVEN 4

/* Whether it is one of those remembered. Within an atomic section. */
static _Bool is_given(const void *table, u32 number)
{
    _Bool given = 0;
    IRKISS_TO_THE_END
    for (u32 n = 0; n < GIVEN; n++)
        given = given || __irkiss_ghost_get(table, IRKISS_GHOST_GIVEN + n) == (u64)number + 1;
    return given;
}

/* Likewise. The oldest is forgotten where there is no place. */
static void note_given(const void *table, u32 number)
{
    u64 next = (u64)number + 1;
    IRKISS_TO_THE_END
    for (u32 n = 0; n < GIVEN; n++) {
        u64 before = __irkiss_ghost_get(table, IRKISS_GHOST_GIVEN + n);
        if (next != 0) {
            __irkiss_ghost_set(table, IRKISS_GHOST_GIVEN + n, next);
            next = before;
        }
    }
}

int ida_alloc_range(void *table, unsigned int first, unsigned int last, u32)
{
    u32 number = __irkiss_nondet_u32();
    if (__irkiss_nondet_bool())
        return -ENOMEM;
    __irkiss_assume(number >= first && number <= last && number <= 0x7fffffffu);
    IRKISS_ATOMIC(__irkiss_assume(!is_given(table, number)); note_given(table, number));
    return (int)number;
}

void ida_free(void *table, unsigned int number)
{
    __irkiss_atomic_begin();
    IRKISS_TO_THE_END
    for (u32 n = 0; n < GIVEN; n++)
        if (__irkiss_ghost_get(table, IRKISS_GHOST_GIVEN + n) == (u64)number + 1)
            __irkiss_ghost_set(table, IRKISS_GHOST_GIVEN + n, 0);
    __irkiss_atomic_end();
}

/* ---- Tables. ---- */
/* Within an atomic section. */
static void *found(const void *table, unsigned long number)
{
    u64 object = 0;
    if (__irkiss_ghost_get(table, IRKISS_GHOST_COUNT) == number)
        object = __irkiss_ghost_get(table, IRKISS_GHOST_HANDLE);
    return (void *)(uptr)object;
}

static void *put(const void *table, unsigned long number, const void *object)
{
    void *old;
    __irkiss_atomic_begin();
    old = found(table, number);
    if (object || old) {
        __irkiss_ghost_set(table, IRKISS_GHOST_HANDLE, (u64)(uptr)object);
        __irkiss_ghost_set(table, IRKISS_GHOST_COUNT, number);
    }
    __irkiss_atomic_end();
    return old;
}

/* struct xarray begins with its spin lock, xa_lock. xa_store, xa_erase, xa_destroy take it by themselves; of the functions whose names
 * begin with __ the caller holds it, and where memory is short, and the caller may sleep, they give it back for a while (__xas_nomem) and
 * begin again. */
#define MAY_SLEEP 0x400u /* __GFP_DIRECT_RECLAIM */

unsigned long _raw_spin_lock_irqsave(void *lock);
void _raw_spin_unlock_irqrestore(void *lock, unsigned long flags);

static void make_room(void *table, u32 flags)
{
    if ((flags & MAY_SLEEP) && __irkiss_nondet_bool()) {
        irkiss_spin_unlock(table);
        irkiss_spin_lock(table);
    }
}

void *xa_load(void *table, unsigned long number)
{
    void *object;
    IRKISS_ATOMIC(object = found(table, number));
    return object;
}

/* xas_result: errors are entries with the two lowest bits 2, as all that are internal (xa_err). */
static void *no_memory(void)
{
    return (void *)(((uptr)(ssize)-ENOMEM << 2) | 2);
}

/* The old entry, or an error. */
void *__xa_store(void *table, unsigned long number, void *object, u32 flags)
{
    make_room(table, flags);
    if (__irkiss_nondet_bool())
        return no_memory();
    return put(table, number, object);
}

void *xa_store(void *table, unsigned long number, void *object, u32 flags)
{
    void *old;
    irkiss_spin_lock(table);
    old = __xa_store(table, number, object, flags);
    irkiss_spin_unlock(table);
    return old;
}

/* What was there, whether it was the old entry or not; or an error. */
void *__xa_cmpxchg(void *table, unsigned long number, void *old, void *object, u32 flags)
{
    void *there;
    make_room(table, flags);
    if (__irkiss_nondet_bool())
        return no_memory();
    __irkiss_atomic_begin();
    there = found(table, number);
    if (there == old)
        (void)put(table, number, object);
    __irkiss_atomic_end();
    return there;
}

int __xa_insert(void *table, unsigned long number, void *object, u32 flags)
{
    void *there;
    make_room(table, flags);
    if (__irkiss_nondet_bool())
        return -ENOMEM;
    IRKISS_ATOMIC(there = found(table, number));
    if (there)
        return -EBUSY;
    (void)put(table, number, object);
    return 0;
}

void *__xa_erase(void *table, unsigned long number)
{
    return put(table, number, NULL);
}

void *xa_erase(void *table, unsigned long number)
{
    void *old;
    irkiss_spin_lock(table);
    old = put(table, number, NULL);
    irkiss_spin_unlock(table);
    return old;
}

int __xa_alloc(void *table, u32 *number, void *object, u64 limits, u32 flags)
{
    u32 drawn = __irkiss_nondet_u32();
    make_room(table, flags);
    if (__irkiss_nondet_bool())
        return -EBUSY;
    /* struct xa_limit: max, min; passed in a register. */
    __irkiss_assume(drawn <= (u32)limits && drawn >= (u32)(limits >> 32));
    *number = drawn;
    (void)put(table, drawn, object);
    return 0;
}

/* 1 where the numbers begin again; the next one to try is the caller's. */
int __xa_alloc_cyclic(void *table, u32 *number, void *object, u64 limits, u32 *next, u32 flags)
{
    int failed = __xa_alloc(table, number, object, limits, flags);
    if (failed)
        return failed;
    *next = *number + 1;
    return __irkiss_nondet_bool();
}

/* Looked for under RCU alone. Of marks (XA_MARK_0 to XA_MARK_2) it is not known who has them; XA_PRESENT is any entry. */
static void *find(const void *table, unsigned long *number, unsigned long first, unsigned long last, u32 filter)
{
    u64 object, at;
    if (filter < 3 && __irkiss_nondet_bool())
        return NULL;
    __irkiss_atomic_begin();
    object = __irkiss_ghost_get(table, IRKISS_GHOST_HANDLE);
    at = __irkiss_ghost_get(table, IRKISS_GHOST_COUNT);
    __irkiss_atomic_end();
    if (!object || at < first || at > last)
        return NULL;
    *number = at;
    return (void *)(uptr)object;
}

void *xa_find(void *table, unsigned long *number, unsigned long last, u32 filter)
{
    return find(table, number, *number, last, filter);
}

void *xa_find_after(void *table, unsigned long *number, unsigned long last, u32 filter)
{
    return *number + 1 == 0 ? NULL : find(table, number, *number + 1, last, filter);
}

void xa_destroy(void *table)
{
    unsigned long flags = _raw_spin_lock_irqsave(table);
    IRKISS_ATOMIC(__irkiss_ghost_set(table, IRKISS_GHOST_HANDLE, 0));
    _raw_spin_unlock_irqrestore(table, flags);
}

/* ---- Numbers that stand for objects (lib/idr.c): the object entered last is remembered, any other number finds nothing.
 * The table's own lock is the caller's duty for removal against allocation, and RCU's for finding. ---- */
u64 __irkiss_offsetof__xarray__xa_head(void);

/* The tree, which the table begins with, is changed under no lock of its own: two changes at once are a race, a search beside one is not
 * (lib/idr.c; lib/radix-tree.c: radix_tree_iter_replace, node_tag_clear, delete_node). What is seen of it is whether it is empty. */
static void change_tree(const void *table, _Bool filled)
{
    u64 at = __irkiss_offsetof__xarray__xa_head();
    void **head = (void **)((char *)table + at);
    if (at == ~0ull)
        return;
    if (filled || (*head && __irkiss_nondet_bool()))
        *head = head;
    else
        *head = NULL;
}

static int enter(const void *table, const void *object, int first)
{
    int number = (int)(__irkiss_nondet_u32() & 0x7fffffffu);
    if (__irkiss_nondet_bool())
        return -ENOMEM;
    __irkiss_assume(number >= first);
    change_tree(table, 1);
    IRKISS_ATOMIC(__irkiss_ghost_set(table, IRKISS_GHOST_HANDLE, (u64)(uptr)object);
                  __irkiss_ghost_set(table, IRKISS_GHOST_COUNT, (u64)number));
    return number;
}

int idr_alloc(void *table, void *object, int start, int, u32)
{
    return enter(table, object, start);
}

int idr_alloc_cyclic(void *table, void *object, int start, int, u32)
{
    return enter(table, object, start);
}

void *idr_find(const void *table, unsigned long number)
{
    u64 object = 0;
    __irkiss_atomic_begin();
    if (__irkiss_ghost_get(table, IRKISS_GHOST_COUNT) == number)
        object = __irkiss_ghost_get(table, IRKISS_GHOST_HANDLE);
    __irkiss_atomic_end();
    return (void *)(uptr)object;
}

void *idr_remove(void *table, unsigned long number)
{
    u64 object = 0;
    change_tree(table, 0);
    __irkiss_atomic_begin();
    if (__irkiss_ghost_get(table, IRKISS_GHOST_COUNT) == number) {
        object = __irkiss_ghost_get(table, IRKISS_GHOST_HANDLE);
        __irkiss_ghost_set(table, IRKISS_GHOST_HANDLE, 0);
    }
    __irkiss_atomic_end();
    return (void *)(uptr)object;
}

void *idr_replace(void *table, void *object, unsigned long number)
{
    u64 old = 0;
    __irkiss_atomic_begin();
    if (__irkiss_ghost_get(table, IRKISS_GHOST_COUNT) == number) {
        old = __irkiss_ghost_get(table, IRKISS_GHOST_HANDLE);
        __irkiss_ghost_set(table, IRKISS_GHOST_HANDLE, (u64)(uptr)object);
    }
    __irkiss_atomic_end();
    return old ? (void *)(uptr)old : irkiss_error_pointer(2);
}

void idr_destroy(void *table)
{
    IRKISS_ATOMIC(__irkiss_ghost_set(table, IRKISS_GHOST_HANDLE, 0));
}

/* Preloading only enters the per-CPU section that idr_alloc relies on (lib/idr.c, lib/radix-tree.c). */
void idr_preload(u32)
{
}

void irkiss_model__idr_preload_end(void)
{
}

void irkiss_model__radix_tree_preload_end(void)
{
}

/* ---- Radix trees (lib/radix-tree.c): the same, with numbers that the caller chooses. ---- */
int radix_tree_insert(void *table, unsigned long number, void *object)
{
    void *there;
    if (__irkiss_nondet_bool())
        return -ENOMEM;
    IRKISS_ATOMIC(there = found(table, number));
    if (there)
        return -EEXIST;
    change_tree(table, 1);
    (void)put(table, number, object);
    return 0;
}

void *radix_tree_lookup(const void *table, unsigned long number)
{
    void *object;
    IRKISS_ATOMIC(object = found(table, number));
    return object;
}

void *radix_tree_delete(void *table, unsigned long number)
{
    change_tree(table, 0);
    return put(table, number, NULL);
}

/* The object and its number, if it is not below *number. */
void *idr_get_next(void *table, int *number)
{
    u64 object, at;
    __irkiss_atomic_begin();
    object = __irkiss_ghost_get(table, IRKISS_GHOST_HANDLE);
    at = __irkiss_ghost_get(table, IRKISS_GHOST_COUNT);
    __irkiss_atomic_end();
    if (!object || (int)at < *number)
        return NULL;
    *number = (int)at;
    return (void *)(uptr)object;
}

int idr_for_each(const void *table, int (*call)(int, void *, void *), void *data)
{
    u64 object, at;
    __irkiss_atomic_begin();
    object = __irkiss_ghost_get(table, IRKISS_GHOST_HANDLE);
    at = __irkiss_ghost_get(table, IRKISS_GHOST_COUNT);
    __irkiss_atomic_end();
    return object ? call((int)at, (void *)(uptr)object, data) : 0;
}

/* ---- Calls for each object that the kernel knows: for none, or for one that is made up. ---- */
static int for_one(const char *name, void *data, int (*call)(void *, void *))
{
    return __irkiss_nondet_bool() ? 0 : call(__irkiss_lazy(0, name), data);
}

int device_for_each_child(void *, void *data, int (*call)(void *, void *))
{
    return for_one("device", data, call);
}

int bus_for_each_dev(const void *, void *, void *data, int (*call)(void *, void *))
{
    return for_one("device", data, call);
}

int class_for_each_device(const void *, void *, void *data, int (*call)(void *, void *))
{
    return for_one("device", data, call);
}

int driver_for_each_device(void *, void *, void *data, int (*call)(void *, void *))
{
    return for_one("device", data, call);
}

int device_for_each_child_reverse(void *, void *data, int (*call)(void *, void *))
{
    return for_one("device", data, call);
}

int bus_for_each_drv(const void *, void *, void *data, int (*call)(void *, void *))
{
    return for_one("device_driver", data, call);
}

/* drivers/pci/bus.c: what the function answers ends the walk, and is told to nobody. */
void pci_walk_bus(void *, int (*call)(void *, void *), void *data)
{
    (void)for_one("pci_dev", data, call);
}

/* drivers/acpi/resource.c. */
int acpi_dev_get_resources(void *, void *, int (*call)(void *, void *), void *data)
{
    int answer = call ? for_one("acpi_resource", data, call) : 0;
    return answer < 0 ? answer : irkiss_may_fail(ENODEV);
}

/* drivers/usb/gadget/composite.c. */
int usb_add_config(void *, void *config, int (*bind)(void *))
{
    if (!bind || __irkiss_nondet_bool())
        return -EINVAL;
    return bind(config);
}

int usb_for_each_dev(void *data, int (*call)(void *, void *))
{
    return for_one("usb_device", data, call);
}

void ieee80211_iterate_active_interfaces_atomic(void *, u32, void (*call)(void *, u8 *, void *), void *data)
{
    if (__irkiss_nondet_bool())
        call(data, __irkiss_lazy(0, "address"), __irkiss_lazy(0, "ieee80211_vif"));
}
