/* Functions that hand data back through a pointer argument: numbers from text, registers, configuration space, clocks,
 * firmware, copies to and from iterators. What they write is arbitrary; where it is written is memory like any other, so a
 * write to shared memory can race. None takes a lock that a driver sees.
 */
#include "irkiss_linux.h"

static int fill(void *to, usize size, int error)
{
    if (__irkiss_nondet_bool())
        return -error;
    __irkiss_havoc(to, size);
    return 0;
}

/* ---- Numbers from text of user space (lib/kstrtox.c): the result is written on success only. ---- */
#define PARSE_USER(name, type) \
    int name(const char *, usize, unsigned int, type *result) \
    { \
        return fill(result, sizeof(*result), EINVAL); \
    }
PARSE_USER(kstrtoull_from_user, u64)
PARSE_USER(kstrtoul_from_user, unsigned long)
PARSE_USER(kstrtouint_from_user, u32)
PARSE_USER(kstrtoint_from_user, s32)
PARSE_USER(kstrtou16_from_user, u16)
PARSE_USER(kstrtou8_from_user, u8)

int kstrtobool_from_user(const char *, usize, u8 *result)
{
    if (__irkiss_nondet_bool())
        return -EINVAL;
    *result = __irkiss_nondet_bool();
    return 0;
}

/* ---- PCI configuration space (drivers/pci/access.c): all ones where the device does not answer. ---- */
#define PCI_READ(name, type) \
    int name(const void *, int, type *value) \
    { \
        __irkiss_havoc(value, sizeof(*value)); \
        return irkiss_may_fail(ENODEV); \
    }
PCI_READ(pci_read_config_byte, u8)
PCI_READ(pci_read_config_word, u16)
PCI_READ(pci_read_config_dword, u32)
PCI_READ(pcie_capability_read_word, u16)
PCI_READ(pcie_capability_read_dword, u32)

/* ---- Register maps (drivers/base/regmap/regmap.c). ---- */
int regmap_read(void *, unsigned int, u32 *value)
{
    return fill(value, sizeof(*value), EIO);
}

/* Values of a byte: the width of a register is the map's; where it is larger, the rest keeps its old value. */
int regmap_bulk_read(void *, unsigned int, void *values, usize count)
{
    return fill(values, count, EIO);
}

int regmap_raw_read(void *, unsigned int, void *values, usize size)
{
    return fill(values, size, EIO);
}

/* Each gives 0 or an error, never more. */
int regmap_noinc_read(void *, unsigned int, void *values, usize size)
{
    return fill(values, size, EIO);
}

int regmap_field_read(void *, u32 *value)
{
    return fill(value, sizeof(*value), EIO);
}

int regmap_fields_read(void *, unsigned int, u32 *value)
{
    return fill(value, sizeof(*value), EIO);
}

int regmap_bulk_write(void *, unsigned int, const void *values, usize count)
{
    __irkiss_touch(values, count);
    return irkiss_may_fail(EIO);
}

static int update(_Bool *changed)
{
    if (changed)
        __irkiss_havoc(changed, sizeof(*changed));
    return irkiss_may_fail(EIO);
}

int regmap_update_bits_base(void *, unsigned int, unsigned int, unsigned int, _Bool *changed, _Bool, _Bool)
{
    return update(changed);
}

int regmap_field_update_bits_base(void *, unsigned int, unsigned int, _Bool *changed, _Bool, _Bool)
{
    return update(changed);
}

int regmap_fields_update_bits_base(void *, unsigned int, unsigned int, unsigned int, _Bool *changed, _Bool, _Bool)
{
    return update(changed);
}

int regmap_raw_write(void *, unsigned int, const void *values, usize size)
{
    __irkiss_touch(values, size);
    return irkiss_may_fail(EIO);
}

/* ---- SPI, HID, embedded controller. ---- */
int spi_write_then_read(void *, const void *to, unsigned int to_size, void *from, unsigned int from_size)
{
    __irkiss_touch(to, to_size);
    return fill(from, from_size, EIO);
}

/* drivers/hid/hid-core.c: __hid_hw_raw_request. Returns the bytes transferred. */
int hid_hw_raw_request(void *, unsigned char, u8 *data, usize size, int, int)
{
    if (__irkiss_nondet_bool())
        return -EIO;
    __irkiss_havoc(data, size);
    return (int)size;
}

int hid_hw_output_report(void *, u8 *data, usize size)
{
    __irkiss_touch(data, size);
    return __irkiss_nondet_bool() ? -EIO : (int)size;
}

int ec_read(u8, u8 *value)
{
    return fill(value, sizeof(*value), ENODEV);
}

/* ---- Clocks: struct timespec64 is two words of 64 bits. ---- */
void ktime_get_real_ts64(void *time)
{
    __irkiss_havoc(time, 16);
}

void ktime_get_ts64(void *time)
{
    __irkiss_havoc(time, 16);
}

void ktime_get_coarse_real_ts64(void *time)
{
    __irkiss_havoc(time, 16);
}

/* struct rtc_time: nine ints. */
void rtc_time64_to_tm(s64, void *time)
{
    __irkiss_havoc(time, 9 * sizeof(int));
}

s64 rtc_tm_to_time64(void *time)
{
    __irkiss_touch(time, 9 * sizeof(int));
    return (s64)__irkiss_nondet_u64();
}

int rtc_valid_tm(void *time)
{
    __irkiss_touch(time, 9 * sizeof(int));
    return irkiss_may_fail(EINVAL);
}

/* ---- Firmware (drivers/base/firmware_loader/main.c): the pointer is null on failure. ---- */
int request_firmware(void **firmware, const char *, void *)
{
    if (__irkiss_nondet_bool()) {
        *firmware = NULL;
        return -ENODEV;
    }
    *firmware = __irkiss_lazy(0, "firmware");
    return 0;
}

int request_firmware_direct(void **firmware, const char *name, void *device)
{
    return request_firmware(firmware, name, device);
}

int firmware_request_nowarn(void **firmware, const char *name, void *device)
{
    return request_firmware(firmware, name, device);
}

void release_firmware(const void *)
{
}

/* ---- Iterators over user memory, memory of devices, messages. ---- */
usize _copy_from_iter(void *to, usize size, void *)
{
    usize copied = (usize)__irkiss_nondet_u64();
    __irkiss_assume(copied <= size);
    __irkiss_havoc(to, size);
    return copied;
}

usize _copy_to_iter(const void *from, usize size, void *)
{
    usize copied = (usize)__irkiss_nondet_u64();
    __irkiss_assume(copied <= size);
    __irkiss_touch(from, size);
    return copied;
}

void memcpy_fromio(void *to, const volatile void *, usize size)
{
    __irkiss_havoc(to, size);
}

void memcpy_toio(volatile void *, const void *from, usize size)
{
    __irkiss_touch(from, size);
}

int nla_memcpy(void *to, const void *, int size)
{
    __irkiss_havoc(to, (usize)size);
    return size;
}

/* lib/nlattr.c: the table of attributes, each there or not. What they hold is the sender's. */
int __nla_parse(void **table, int greatest, const void *, int, const void *, u32, void *)
{
    for (int n = 0; n <= greatest; n++)
        table[n] = __irkiss_nondet_ptr();
    return irkiss_may_fail(EINVAL);
}

/* net/core/rtnetlink.c: of a network interface. Later kernels know more attributes than IFLA_MAX of 6.1. */
int rtnl_nla_parse_ifinfomsg(void **table, const void *, void *)
{
    for (int n = 0; n <= 62; n++)
        table[n] = __irkiss_nondet_ptr();
    return irkiss_may_fail(EINVAL);
}

int nla_put(void *, int, int size, const void *data)
{
    __irkiss_touch(data, (usize)size);
    return irkiss_may_fail(90); /* EMSGSIZE */
}
