/* What the kernel or other drivers have put into the fields that a driver calls through, where it does more than the documented
 * default of functions without a model (any result, no memory changed). Such a function is named after the field.
 */
#include "irkiss_linux.h"

#define FIELD(name) __asm__(name)

/* ---- Terminals: the driver of the terminal that a line discipline is on (drivers/tty/tty_io.c: alloc_tty_struct sets tty->ops). */
/* Reads what is to be sent; all of it, a part, or none. */
int tty_write(void *, const u8 *data, int count) FIELD("tty_operations.write");
int tty_write(void *, const u8 *data, int count)
{
    int taken = (int)__irkiss_nondet_u32();
    __irkiss_assume(taken <= count);
    if (count > 0)
        __irkiss_touch(data, (u64)count);
    return taken;
}

int tty_room(void *) FIELD("tty_operations.write_room");
int tty_room(void *)
{
    return (int)(__irkiss_nondet_u32() >> 1);
}

/* ---- Virtio: the transport (drivers/virtio/virtio_pci_modern.c: vp_get, vp_set, vp_modern_find_vqs). ---- */
void config_get(void *, unsigned int, void *data, unsigned int size) FIELD("virtio_config_ops.get");
void config_get(void *, unsigned int, void *data, unsigned int size)
{
    __irkiss_havoc(data, size);
}

void config_set(void *, unsigned int, const void *data, unsigned int size) FIELD("virtio_config_ops.set");
void config_set(void *, unsigned int, const void *data, unsigned int size)
{
    __irkiss_touch(data, size);
}

u64 __irkiss_offsetof__virtqueue__vdev(void);

/* Makes the queues, or fails (drivers/virtio/virtio_ring.c: __vring_new_virtqueue). */
int find_queues(void *device, unsigned int count, void **queues, void **, const char *const *, const void *, void *)
    FIELD("virtio_config_ops.find_vqs");
int find_queues(void *device, unsigned int count, void **queues, void **, const char *const *, const void *, void *)
{
    u64 at = __irkiss_offsetof__virtqueue__vdev();
    unsigned int n;
    if (__irkiss_nondet_bool())
        return -ENOMEM;
    for (n = 0; n < count; n++) {
        char *queue = __irkiss_lazy(0, "virtqueue");
        if (at != ~0ull)
            *(void **)(queue + at) = device;
        queues[n] = queue;
    }
    return 0;
}

/* ---- BPF programs: they read what they are given (include/linux/bpf.h: bpf_dispatcher_nop_func calls the compiled program). ---- */
u32 irkiss_model__bpf_dispatcher_nop_func(const void *, const void *, void *)
{
    return __irkiss_nondet_u32();
}
