/* What a driver has had made for as long as it is bound (drivers/base/devres.c): taken back in the reverse order when it is unbound,
 * which is when the harness calls __irkiss_release_managed. Executions in which there is more than fits end there. */
#include "irkiss_linux.h"

enum kind { MEMORY = 1, ACTION, GATE, INTERRUPT, MADE };
struct managed {
    u32 kind, irq;
    const void *object, *function;
};
#define MOST 40
static struct managed managed[MOST];
static u32 count;
static _Bool more;

static void note(u32 kind, const void *object, const void *function, u32 irq)
{
    __irkiss_atomic_begin();
    if (count < MOST) {
        managed[count].kind = kind;
        managed[count].irq = irq;
        managed[count].object = object;
        managed[count].function = function;
        count++;
    } else {
        more = 1;
    }
    __irkiss_atomic_end();
}

/* Who uses freed memory is of interest only to those who ask. */
void irkiss_manage_memory(const void *object)
{
    if (__irkiss_property(IRKISS_UAF)) {
        if (object)
            note(MEMORY, object, NULL, 0);
    }
}

void __irkiss_manage_gate(void *gate)
{
    note(GATE, gate, NULL, 0);
}

/* An object that devres ends as it is handed over when it is made: a sound card (snd_devm_card_new). */
void irkiss_manage_made(void)
{
    note(MADE, NULL, NULL, 0);
}

void irkiss_manage_interrupt(const void *handler, u32 irq, const void *device)
{
    note(INTERRUPT, device, handler, irq);
}

/* Given back before: devm_kfree, devm_free_irq. */
void irkiss_forget_managed(const void *object)
{
    __irkiss_atomic_begin();
    for (u32 n = 0; n < MOST; n++) {
        if (n < count && managed[n].kind == MEMORY && managed[n].object == object)
            managed[n].kind = 0;
    }
    __irkiss_atomic_end();
}

int __devm_add_action(void *, void (*action)(void *), void *data, const char *)
{
    if (__irkiss_nondet_bool())
        return -ENOMEM;
    note(ACTION, data, (const void *)action, 0);
    return 0;
}

/* The same of kernels in which it is no macro. */
int devm_add_action(void *device, void (*action)(void *), void *data)
{
    return __devm_add_action(device, action, data, NULL);
}

/* With a note for those that are given it and do not look at it. */
static void free_object(void *object)
{
    IRKISS_ATOMIC(__irkiss_ghost_set(object, IRKISS_GHOST_GONE, 1));
    __irkiss_free(object);
}

static void release(struct managed *one)
{
    struct managed taken;
    IRKISS_ATOMIC(taken = *one; one->kind = 0);
    if (taken.kind == MEMORY)
        free_object((void *)taken.object);
    else if (taken.kind == ACTION)
        __irkiss_managed_action(taken.function, taken.object);
    else if (taken.kind == GATE) {
        __irkiss_gate((void *)taken.object, IRKISS_BLOCKS_NEW | IRKISS_WAITS);
        __irkiss_managed_ended(taken.object);
    } else if (taken.kind == MADE)
        __irkiss_made_ended();
    else if (taken.kind == INTERRUPT)
        __irkiss_free_irq(__irkiss_slot(taken.function), taken.irq, (void *)taken.object, IRKISS_BLOCKS_NEW | IRKISS_WAITS);
}

/* Who uses freed memory is of interest only to those who ask; what is made up otherwise stays. */
void __irkiss_free_given(const void *object)
{
    if (__irkiss_property(IRKISS_UAF) && object)
        free_object((void *)object);
}

/* A function of the kernel uses what it is given, which may be no memory that is known here; that races with nothing. */
void __irkiss_used(const void *object)
{
    if (__irkiss_property(IRKISS_UAF)) {
        u64 gone;
        IRKISS_ATOMIC(gone = __irkiss_ghost_get((void *)object, IRKISS_GHOST_GONE));
        if (gone)
            (void)*(const volatile u8 *)object;
    }
}

#define RELEASE(n) \
    if ((n) < there) \
        release(&managed[n])

void __irkiss_release_managed(void)
{
    u32 there;
    _Bool beyond;
    IRKISS_ATOMIC(there = count; beyond = more);
    if (beyond)
        __irkiss_exceeded("more than 40 things that a driver has for as long as it is bound");
    RELEASE(39);
    RELEASE(38);
    RELEASE(37);
    RELEASE(36);
    RELEASE(35);
    RELEASE(34);
    RELEASE(33);
    RELEASE(32);
    RELEASE(31);
    RELEASE(30);
    RELEASE(29);
    RELEASE(28);
    RELEASE(27);
    RELEASE(26);
    RELEASE(25);
    RELEASE(24);
    RELEASE(23);
    RELEASE(22);
    RELEASE(21);
    RELEASE(20);
    RELEASE(19);
    RELEASE(18);
    RELEASE(17);
    RELEASE(16);
    RELEASE(15);
    RELEASE(14);
    RELEASE(13);
    RELEASE(12);
    RELEASE(11);
    RELEASE(10);
    RELEASE(9);
    RELEASE(8);
    RELEASE(7);
    RELEASE(6);
    RELEASE(5);
    RELEASE(4);
    RELEASE(3);
    RELEASE(2);
    RELEASE(1);
    RELEASE(0);
    IRKISS_ATOMIC(count = 0);
}

/* ---- What lies in something: attributes in an object of sysfs, debugging files in a directory, which may lie in another one. ---- */
static const void *outer_of(const void *inner)
{
    return inner ? (const void *)(uptr)__irkiss_ghost_get(inner, IRKISS_GHOST_WITHIN) : NULL;
}

void __irkiss_put_within(const void *inner, const void *outer)
{
    IRKISS_ATOMIC(__irkiss_ghost_set(inner, IRKISS_GHOST_WITHIN, (u64)(uptr)outer));
}

/* Directly, or by way of two others. */
_Bool __irkiss_is_within(const void *inner, const void *outer)
{
    const void *first, *second, *third;
    __irkiss_atomic_begin();
    first = outer_of(inner);
    second = outer_of(first);
    third = outer_of(second);
    __irkiss_atomic_end();
    return outer && (first == outer || second == outer || third == outer);
}
