/* Messages on buses: what is sent is read, what is received is written (drivers/i2c/i2c-core-base.c, i2c-core-smbus.c;
 * drivers/net/phy). */
#include "irkiss_linux.h"

/* ---- I2C. struct i2c_msg: addr, flags, len, buf (include/uapi/linux/i2c.h). ---- */
struct irkiss_i2c_message {
    u16 address, flags, length;
    u8 *data;
};
#define I2C_READ 1u

static void exchange(u8 *data, u64 length, u32 flags)
{
    if (!length)
        return;
    if (flags & I2C_READ)
        __irkiss_havoc(data, length);
    else
        __irkiss_touch(data, length);
}

/* The number of messages, or an error. */
int i2c_transfer(void *, struct irkiss_i2c_message *messages, int count)
{
    if (__irkiss_nondet_bool())
        return -EIO;
    for (int n = 0; n < count; n++)
        exchange(messages[n].data, messages[n].length, messages[n].flags);
    return count;
}

int __i2c_transfer(void *adapter, struct irkiss_i2c_message *messages, int count)
{
    return i2c_transfer(adapter, messages, count);
}

int i2c_transfer_buffer_flags(const void *, char *data, int count, u16 flags)
{
    if (__irkiss_nondet_bool())
        return -EIO;
    exchange((u8 *)data, (u64)count, flags);
    return count;
}

/* union i2c_smbus_data: a byte, a word or a block of at most 34 bytes. */
s32 i2c_smbus_xfer(void *, u16, u16, char direction, u8, int, void *data)
{
    if (data)
        exchange(data, 34, direction ? I2C_READ : 0);
    return irkiss_may_fail(EIO);
}

/* The number of bytes read. */
s32 i2c_smbus_read_i2c_block_data(const void *, u8, u8 length, u8 *values)
{
    u32 count = __irkiss_nondet_u32();
    if (__irkiss_nondet_bool())
        return -EIO;
    __irkiss_assume(count <= length);
    exchange(values, length, I2C_READ);
    return (s32)count;
}

s32 i2c_smbus_write_i2c_block_data(const void *, u8, u8 length, const u8 *values)
{
    exchange((u8 *)values, length, 0);
    return irkiss_may_fail(EIO);
}

/* ---- PHYs: selecting a page takes the lock of the bus, restoring it gives it back; here, a lock of the PHY. ---- */
int phy_select_page(void *phy, int)
{
    irkiss_lock(phy);
    return __irkiss_nondet_bool() ? -EIO : (int)(__irkiss_nondet_u32() & 0xffff);
}

int phy_restore_page(void *phy, int, int result)
{
    int error = irkiss_may_fail(EIO);
    irkiss_unlock(phy);
    return result < 0 ? result : error ? error : result;
}

/* ---- RapidIO: configuration space. ---- */
int rio_mport_read_config_32(void *, u16, u8, u32, u32 *value)
{
    __irkiss_havoc(value, sizeof(*value));
    return irkiss_may_fail(EIO);
}

/* ---- Firmware tables: as many values as there are, at most `max` (drivers/of/property.c); max 0: exactly `min`. Computed, so that a count
 * that the call tells is one where src/analysis/points_to/numbers.rs looks: no more is written than so much. ---- */
#define OF_ARRAY(name, type) \
    int name(const void *, const char *, type *values, usize min, usize max) \
    { \
        usize count = max + (min & -(usize)(max == 0)); \
        if (__irkiss_nondet_bool()) \
            return -EINVAL; \
        __irkiss_havoc(values, count * sizeof(*values)); \
        return (int)count; \
    }
OF_ARRAY(of_property_read_variable_u8_array, u8)
OF_ARRAY(of_property_read_variable_u16_array, u16)
OF_ARRAY(of_property_read_variable_u32_array, u32)
OF_ARRAY(of_property_read_variable_u64_array, u64)

int of_property_read_u64(const void *, const char *, u64 *value)
{
    if (__irkiss_nondet_bool())
        return -EINVAL;
    __irkiss_havoc(value, sizeof(*value));
    return 0;
}

/* drivers/base/property.c: without a place for them, how many there are. */
#define PROPERTY_ARRAY(name, type) \
    int name(const void *, const char *, type *values, usize count) \
    { \
        if (__irkiss_nondet_bool()) \
            return -EINVAL; \
        if (!values) \
            return (int)(__irkiss_nondet_u32() & 0xff); \
        __irkiss_havoc(values, count * sizeof(*values)); \
        return 0; \
    }
PROPERTY_ARRAY(device_property_read_u8_array, u8)
PROPERTY_ARRAY(device_property_read_u16_array, u16)
PROPERTY_ARRAY(device_property_read_u32_array, u32)
PROPERTY_ARRAY(device_property_read_u64_array, u64)
PROPERTY_ARRAY(fwnode_property_read_u8_array, u8)
PROPERTY_ARRAY(fwnode_property_read_u16_array, u16)
PROPERTY_ARRAY(fwnode_property_read_u32_array, u32)
PROPERTY_ARRAY(fwnode_property_read_u64_array, u64)

/* ---- SPI (drivers/spi/spi.c: __spi_sync; spi_transfer_one_message): each transfer of a message in turn. ---- */
u64 __irkiss_offsetof__spi_message__transfers(void);
u64 __irkiss_offsetof__spi_transfer__transfer_list(void);

/* struct spi_transfer (include/linux/spi/spi.h), as far as the length. */
struct irkiss_spi_transfer {
    const void *sent;
    void *received;
    u32 length;
};

int spi_sync(void *, void *message)
{
    u64 list = __irkiss_offsetof__spi_message__transfers();
    u64 link = __irkiss_offsetof__spi_transfer__transfer_list();
    if (list == ~0ull || link == ~0ull || __irkiss_nondet_bool())
        return irkiss_may_fail(EIO);
    void **head = (void **)((char *)message + list);
    for (void **at = head[0]; at != head; at = at[0]) {
        struct irkiss_spi_transfer *transfer = (void *)((char *)at - link);
        if (transfer->sent && transfer->length)
            __irkiss_touch(transfer->sent, transfer->length);
        if (transfer->received && transfer->length)
            __irkiss_havoc(transfer->received, transfer->length);
    }
    return 0;
}

int spi_sync_locked(void *device, void *message)
{
    return spi_sync(device, message);
}
