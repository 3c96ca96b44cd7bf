/* List checks, object caches, other allocations of the kernel's library. */
#include "irkiss_linux.h"

/* CONFIG_DEBUG_LIST's checks pass: a broken list is not what is looked for. */
IRKISS_ASSUMES("lists-intact")
_Bool __list_add_valid(void *, void *, void *)
{
    return 1;
}

IRKISS_ASSUMES("lists-intact")
_Bool __list_del_entry_valid(void *)
{
    return 1;
}

IRKISS_ASSUMES("lists-intact")
_Bool __list_add_valid_or_report(void *, void *, void *)
{
    return 1;
}

IRKISS_ASSUMES("lists-intact")
_Bool __list_del_entry_valid_or_report(void *)
{
    return 1;
}

/* ---- Object caches: the size of the objects is a number beside the cache. ---- */
void *kmem_cache_create(const char *, unsigned int size, unsigned int, unsigned int, void *)
{
    void *cache;
    if (__irkiss_nondet_bool())
        return NULL;
    cache = __irkiss_alloc(1, 1);
    __irkiss_ghost_set(cache, IRKISS_GHOST_LIMIT, size);
    return cache;
}

void kmem_cache_destroy(void *cache)
{
    __irkiss_free_given(cache);
}

void *kmem_cache_alloc(void *cache, u32 flags)
{
    __irkiss_used(cache);
    if (__irkiss_nondet_bool())
        return NULL;
    return __irkiss_alloc(__irkiss_ghost_get(cache, IRKISS_GHOST_LIMIT), (flags & 0x100u) != 0);
}

/* ---- Strings in memory of their own. ---- */
char *kstrdup(const char *s, u32)
{
    char *copy;
    u64 length = 0;
    if (!s || __irkiss_nondet_bool())
        return NULL;
    while (s[length])
        length++;
    copy = __irkiss_alloc(length + 1, 0);
    __builtin_memcpy(copy, s, length + 1);
    return copy;
}

char *kasprintf(u32, const char *, ...)
{
    u64 length = __irkiss_nondet_u64();
    char *text;
    if (__irkiss_nondet_bool())
        return NULL;
    __irkiss_assume(length < 4096);
    text = __irkiss_alloc(length + 1, 0);
    text[length] = 0;
    return text;
}

/* ---- Memory that a device shares: what the device writes is arbitrary, and not modelled as changing by itself. ---- */
void *dma_alloc_attrs(void *, usize size, irkiss_bus_address *handle, u32, unsigned long)
{
    if (__irkiss_nondet_bool())
        return NULL;
    *handle = (irkiss_bus_address)__irkiss_nondet_u64();
    return __irkiss_alloc(size, 1);
}

void dma_free_attrs(void *, usize, void *memory, u64, unsigned long)
{
    __irkiss_free(memory);
}

/* ---- Locks of subsystems, one object each. ---- */
static char rtnl_mutex;

void rtnl_lock(void)
{
    irkiss_lock(&rtnl_mutex);
}

int rtnl_lock_killable(void)
{
    if (__irkiss_nondet_bool())
        return -EINTR;
    irkiss_lock(&rtnl_mutex);
    return 0;
}

int rtnl_trylock(void)
{
    return irkiss_trylock(&rtnl_mutex);
}

void rtnl_unlock(void)
{
    irkiss_unlock(&rtnl_mutex);
}

int rtnl_is_locked(void)
{
    _Bool held;
    IRKISS_ATOMIC(held = __irkiss_ghost_get(&rtnl_mutex, IRKISS_GHOST_OWNER) != 0);
    return held;
}

/* ---- Locks of one bit: the bit is the lock, and visible to who tests it. ---- */
void irkiss_model__bit_spin_lock(int bit, unsigned long *address)
{
    unsigned long mask = 1ul << (unsigned int)bit;
    __irkiss_atomic_begin();
    __irkiss_assume((*address & mask) == 0);
    *address |= mask;
    __irkiss_atomic_end();
}

int irkiss_model__bit_spin_trylock(int bit, unsigned long *address)
{
    unsigned long mask = 1ul << (unsigned int)bit;
    _Bool free;
    __irkiss_atomic_begin();
    free = (*address & mask) == 0;
    *address |= mask;
    __irkiss_atomic_end();
    return free;
}

void irkiss_model__bit_spin_unlock(int bit, unsigned long *address)
{
    IRKISS_ATOMIC(*address &= ~(1ul << (unsigned int)bit));
}

/* Set bits; the kernel's are assembly with an alternative for old processors (arch/x86/include/asm/arch_hweight.h). */
unsigned int irkiss_model____arch_hweight32(unsigned int word)
{
    return (unsigned int)__builtin_popcount(word);
}

unsigned long irkiss_model____arch_hweight64(u64 word)
{
    return (unsigned long)__builtin_popcountll(word);
}
