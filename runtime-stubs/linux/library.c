/* Functions of the kernel's library that read or write memory of the driver (lib/, kernel/printk). */
#include "irkiss_linux.h"

/* ---- Checksums: read, arbitrary. ---- */
#define CHECKSUM_OF(name, type) \
    type name(type, const void *data, usize size) \
    { \
        if (size) \
            __irkiss_touch(data, size); \
        return (type)__irkiss_nondet_u32(); \
    }
CHECKSUM_OF(crc32_le, u32)
CHECKSUM_OF(crc32_be, u32)
CHECKSUM_OF(__crc32c_le, u32)
CHECKSUM_OF(crc16, u16)
CHECKSUM_OF(crc_ccitt, u16)
CHECKSUM_OF(crc_itu_t, u16)

/* ---- Binary-coded decimals (lib/bcd.c). ---- */
unsigned int _bcd2bin(u8 value)
{
    return (value & 0x0fu) + (unsigned int)(value >> 4) * 10;
}

u8 _bin2bcd(unsigned int value)
{
    return (u8)(((value / 10) << 4) + value % 10);
}

/* ---- Bitmaps in memory of their own (lib/bitmap.c). ---- */
#define BITMAP_BYTES(bits) (((u64)(bits) + 8 * sizeof(long) - 1) / (8 * sizeof(long)) * sizeof(long))

unsigned long *bitmap_alloc(unsigned int bits, u32)
{
    return __irkiss_nondet_bool() ? NULL : __irkiss_alloc(BITMAP_BYTES(bits), 0);
}

unsigned long *bitmap_zalloc(unsigned int bits, u32)
{
    return __irkiss_nondet_bool() ? NULL : __irkiss_alloc(BITMAP_BYTES(bits), 1);
}

void bitmap_free(const unsigned long *bitmap)
{
    __irkiss_free((void *)bitmap);
}

/* ---- Messages that show memory. ---- */
void print_hex_dump(const char *, const char *, int, int, int, const void *data, usize size, _Bool)
{
    if (size)
        __irkiss_touch(data, size);
}

/* ---- Text. ---- */
/* lib/vsprintf.c: vsscanf. The frontend takes calls of sscanf apart: for each conversion that its format has, this writes
 * the result if so many were made. */
void __irkiss_scanned(int made, int number, void *result, u64 size)
{
    if (number < made)
        __irkiss_havoc(result, size);
}

int __irkiss_scan(const char *text, int conversions)
{
    u32 made = __irkiss_nondet_u32();
    __irkiss_touch(text, 1);
    __irkiss_assume(made <= (u32)conversions);
    return (int)made;
}

/* What follows what is not known is not known: as snprintf (print.c). */
usize strlcat(char *to, const char *from, usize size)
{
    __irkiss_touch(from, 1);
    if (size) {
        __irkiss_touch(to, 1);
        __irkiss_havoc(to, size);
        to[size - 1] = 0;
    }
    return __irkiss_nondet_u32() >> 1;
}

char *kstrndup(const char *s, usize max, u32)
{
    char *copy;
    usize length = 0;
    if (!s || __irkiss_nondet_bool())
        return NULL;
    while (length < max && s[length])
        length++;
    copy = __irkiss_alloc(length + 1, 0);
    __builtin_memcpy(copy, s, length);
    copy[length] = 0;
    return copy;
}

/* ---- Objects that carry the driver's data. ---- */
u64 __irkiss_offsetof__snd_kcontrol__private_data(void);

/* sound/core/control.c */
void *snd_ctl_new1(const void *, void *data)
{
    u64 at = __irkiss_offsetof__snd_kcontrol__private_data();
    void *control;
    if (__irkiss_nondet_bool())
        return NULL;
    control = __irkiss_lazy(0, "snd_kcontrol");
    if (at != ~0ull)
        *(void **)((char *)control + at) = data;
    return control;
}

/* The driver's data that was handed over with an object. Of one that was registered elsewhere it is the same each time. */
static void *kept_with(void *object, const char *name)
{
    u64 data;
    IRKISS_ATOMIC({
        data = __irkiss_ghost_get(object, IRKISS_GHOST_HANDLE);
        if (!data) {
            data = (u64)(uptr)__irkiss_lazy(0, name);
            __irkiss_ghost_set(object, IRKISS_GHOST_HANDLE, data);
        }
    });
    return (void *)(uptr)data;
}

/* drivers/gpio/gpiolib.c: what gpiochip_add_data was given. */
void *gpiochip_get_data(void *chip)
{
    return kept_with(chip, "gpiochip data");
}

/* Of calls whose models are made from rules. */
void __irkiss_keep_handle(const void *object, const void *data)
{
    IRKISS_ATOMIC(__irkiss_ghost_set((void *)object, IRKISS_GHOST_HANDLE, (u64)(uptr)data));
}

/* The same of data that stands in what the call is given, if it is given any. Volatile: the kernel's own reading is no party to a race. */
void __irkiss_keep_held(const void *object, const void *holder, u64 offset)
{
    if (holder)
        __irkiss_keep_handle(object, irkiss_field(holder, (usize)offset));
}

/* drivers/power/supply/power_supply_core.c: what power_supply_register was given (power_supply_config.drv_data). */
void *power_supply_get_drvdata(void *supply)
{
    return kept_with(supply, "power supply data");
}

/* drivers/usb/roles/class.c: what usb_role_switch_register was given (usb_role_switch_desc.driver_data). */
void *usb_role_switch_get_drvdata(void *of)
{
    return kept_with(of, "role switch data");
}

/* drivers/usb/typec/mux.c: what typec_switch_register and typec_mux_register were given. */
void *typec_switch_get_drvdata(void *of)
{
    return kept_with(of, "switch data");
}

void *typec_mux_get_drvdata(void *of)
{
    return kept_with(of, "multiplexer data");
}

int gpiochip_add_data_with_key(void *chip, void *data, void *, void *)
{
    int error = irkiss_may_fail(EBUSY);
    if (!error)
        IRKISS_ATOMIC(__irkiss_ghost_set(chip, IRKISS_GHOST_HANDLE, (u64)(uptr)data));
    return error;
}

/* lib/sort.c: elements change places; here, the first two, or none. What compares them is the driver's own and not called (a rule says so). */
#define EXCHANGE(type) \
    for (usize n = 0; n < size; n += sizeof(type)) { \
        type *a = (type *)(first + n), *b = (type *)(first + size + n), kept = *a; \
        *a = *b; \
        *b = kept; \
    }
IRKISS_ASSUMES("part-of-whole")
void sort(void *elements, usize count, usize size, void *, void *)
{
    char *first = elements;
    if (count < 2 || __irkiss_nondet_bool())
        return;
    if (size % sizeof(long) == 0)
        EXCHANGE(unsigned long)
    else if (size % sizeof(u32) == 0)
        EXCHANGE(u32)
    else
        EXCHANGE(u8)
}
