// irkiss: ; expect: none ; forms: nopass ; lazy: yes
//
// Checks that pass, numbers that are what they count, objects that are the same each time. (As answers_bits.c: the bodies here are
// not what the functions do.)
#include "answers.h"

#define INLINE static __attribute__((noinline))

extern _Bool __list_add_valid(void *, void *, void *), __list_del_entry_valid(void *);
extern _Bool __list_add_valid_or_report(void *, void *, void *), __list_del_entry_valid_or_report(void *);
INLINE _Bool check_copy_size(const void *at, size_t bytes, _Bool source) { return 0; }
INLINE void *get_current(void) { return NULL; }
INLINE void *lowmem_page_address(const void *page) { return NULL; }
INLINE _Bool __preempt_count_dec_and_test(void) { return 1; }
INLINE int i2c_check_functionality(void *adapter, unsigned int wanted) { return 5; }
INLINE void *usb_pipe_endpoint(void *device, unsigned int pipe) { return (void *)-5l; }
INLINE int timer_pending(const struct timer_list *timer) { return 5; }
extern void *alloc_pages(unsigned int, unsigned int), *alloc_pages_noprof(unsigned int, unsigned int);
extern void *__alloc_pages_noprof(unsigned int, unsigned int, int, void *);
extern void *__alloc_pages(unsigned int, unsigned int, int, void *);
extern void *__irkiss_thread_info(void);
static struct timer_list timer;

#undef spin_lock
#undef spin_unlock
#undef spin_unlock_irqrestore
INLINE void spin_lock(spinlock_t *lock) { }
INLINE void spin_lock_bh(spinlock_t *lock) { }
INLINE void spin_lock_irq(spinlock_t *lock) { }
INLINE int spin_trylock(spinlock_t *lock) { return 7; }
INLINE int spin_trylock_bh(spinlock_t *lock) { return 7; }
INLINE void spin_unlock(spinlock_t *lock) { }
INLINE void spin_unlock_bh(spinlock_t *lock) { }
INLINE void spin_unlock_irq(spinlock_t *lock) { }
INLINE void spin_unlock_irqrestore(spinlock_t *lock, unsigned long flags) { }
extern _Bool mutex_is_locked(struct mutex *);
static spinlock_t lock;

static void spin_locks(void)
{
#define SPIN(take, give) \
    take; \
    CHECK(mutex_is_locked((void *)&lock)); \
    give; \
    CHECK(!mutex_is_locked((void *)&lock));
    SPIN(spin_lock(&lock), spin_unlock(&lock))
    SPIN(spin_lock_bh(&lock), spin_unlock_bh(&lock))
    SPIN(spin_lock_irq(&lock), spin_unlock_irq(&lock))
    SPIN(CHECK(spin_trylock(&lock) == 1 && !spin_trylock(&lock)), spin_unlock_irqrestore(&lock, 0))
    SPIN(CHECK(spin_trylock_bh(&lock) == 1 && !spin_trylock_bh(&lock)), spin_unlock_bh(&lock))
}

static void ring(struct timer_list *t)
{
}

// A page has memory of its own, the same each time, cleared if that was asked for.
static void page(void *of)
{
    char *memory;
    if (!of)
        return;
    memory = lowmem_page_address(of);
    CHECK(memory && memory == lowmem_page_address(of) && memory[4095] == 0);
}

static void answers(void)
{
    char text[4];
    CHECK(__list_add_valid(NULL, NULL, NULL) && __list_del_entry_valid(NULL));
    CHECK(__list_add_valid_or_report(NULL, NULL, NULL) && __list_del_entry_valid_or_report(NULL));
    CHECK(check_copy_size(text, 4, 1));
    CHECK(__irkiss_thread_info() && __irkiss_thread_info() == __irkiss_thread_info());
    spin_locks();
    CHECK(get_current() && get_current() == get_current());
    CHECK(!__preempt_count_dec_and_test());
    CHECK(i2c_check_functionality(NULL, 1) <= 1u);
    CHECK(!IS_ERR(usb_pipe_endpoint(NULL, 1)));
    timer_setup(&timer, ring, 0);
    CHECK(!timer_pending(&timer));
    mod_timer(&timer, 5);
    CHECK(timer_pending(&timer));
    del_timer(&timer);
    page(alloc_pages(0x100, 0));
    page(alloc_pages_noprof(0x100, 0));
    page(__alloc_pages_noprof(0x100, 0, 0, NULL));
    page(__alloc_pages(0x100, 0, 0, NULL));
}
