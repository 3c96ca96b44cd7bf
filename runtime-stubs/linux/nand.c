/* Raw NAND chips (drivers/mtd/nand/raw/nand_base.c): the driver's attach_chip runs while it waits for the scan, with the sizes that
 * the scan has found; detach_chip where the scan fails later, and as the chip goes.
 */
#include "irkiss_linux.h"

u64 __irkiss_offsetof__nand_chip__base(void);
u64 __irkiss_offsetof__nand_chip__controller(void);
u64 __irkiss_offsetof__nand_controller__ops(void);
u64 __irkiss_offsetof__nand_controller_ops__attach_chip(void);
u64 __irkiss_offsetof__nand_controller_ops__detach_chip(void);
u64 __irkiss_offsetof__nand_device__mtd(void);
u64 __irkiss_offsetof__mtd_info__size(void);
u64 __irkiss_offsetof__mtd_info__erasesize(void);
u64 __irkiss_offsetof__mtd_info__writesize(void);
u64 __irkiss_offsetof__mtd_info__writebufsize(void);
u64 __irkiss_offsetof__mtd_info__oobsize(void);

/* What stands in a member of an object, if there are both. */
static void *member(const void *object, u64 at)
{
    return object && at != IRKISS_NO_OFFSET ? irkiss_field(object, (usize)at) : NULL;
}

/* A function of the chip's controller, or null. */
static void *operation(const void *chip, u64 at)
{
    const void *controller = member(chip, __irkiss_offsetof__nand_chip__controller());
    return member(member(controller, __irkiss_offsetof__nand_controller__ops()), at);
}

static void found(char *mtd, u64 at)
{
    if (at != IRKISS_NO_OFFSET)
        *(u32 *)(mtd + at) = __irkiss_nondet_u32();
}

static void identify(char *chip)
{
    u64 base = __irkiss_offsetof__nand_chip__base(), mtd = __irkiss_offsetof__nand_device__mtd();
    if (base == IRKISS_NO_OFFSET || mtd == IRKISS_NO_OFFSET)
        return;
    chip += base + mtd;
    if (__irkiss_offsetof__mtd_info__size() != IRKISS_NO_OFFSET)
        *(u64 *)(chip + __irkiss_offsetof__mtd_info__size()) = __irkiss_nondet_u64();
    found(chip, __irkiss_offsetof__mtd_info__erasesize());
    found(chip, __irkiss_offsetof__mtd_info__writesize());
    found(chip, __irkiss_offsetof__mtd_info__writebufsize());
    found(chip, __irkiss_offsetof__mtd_info__oobsize());
}

static void detach(void *chip)
{
    void (*function)(void *) = (void (*)(void *))operation(chip, __irkiss_offsetof__nand_controller_ops__detach_chip());
    if (function)
        function(chip);
}

int nand_scan_with_ids(void *chip, unsigned int, void *)
{
    int (*attach)(void *);
    int error;
    if (__irkiss_nondet_bool())
        return -ENODEV;
    identify(chip);
    attach = (int (*)(void *))operation(chip, __irkiss_offsetof__nand_controller_ops__attach_chip());
    error = attach ? attach(chip) : 0;
    if (error)
        return error;
    if (__irkiss_nondet_bool()) {
        detach(chip);
        return -EINVAL;
    }
    return 0;
}

void nand_cleanup(void *chip)
{
    detach(chip);
}
