/* I2C: what adapters can do, and transfers (drivers/i2c/i2c-core-base.c, i2c-core-smbus.c). Each may fail. */
#include "irkiss_linux.h"

u32 irkiss_model__i2c_get_functionality(void *)
{
    return __irkiss_nondet_u32();
}

int irkiss_model__i2c_check_functionality(void *, u32)
{
    return __irkiss_nondet_bool();
}

/* A byte or word, or an error. */
static s32 datum(u32 limit)
{
    u32 value = __irkiss_nondet_u32();
    if (__irkiss_nondet_bool())
        return -EIO;
    __irkiss_assume(value <= limit);
    return (s32)value;
}

s32 i2c_smbus_read_byte(const void *)
{
    return datum(0xff);
}

s32 i2c_smbus_read_byte_data(const void *, u8)
{
    return datum(0xff);
}

s32 i2c_smbus_read_word_data(const void *, u8)
{
    return datum(0xffff);
}

s32 i2c_smbus_write_byte(const void *, u8)
{
    return irkiss_may_fail(EIO);
}

s32 i2c_smbus_write_byte_data(const void *, u8, u8)
{
    return irkiss_may_fail(EIO);
}

s32 i2c_smbus_write_word_data(const void *, u8, u16)
{
    return irkiss_may_fail(EIO);
}
