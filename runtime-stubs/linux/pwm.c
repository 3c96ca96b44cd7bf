/* Outputs of PWM chips: who has requested one uses it alone (drivers/pwm/core.c: pwm_device_request refuses one that is requested), and does
 * one thing after the other with it. Two that run beside each other are for two outputs, which have two numbers.
 */
#include "irkiss_linux.h"

u64 __irkiss_offsetof__pwm_device__hwpwm(void);

static u32 number_of(const char *output)
{
    u64 at = __irkiss_offsetof__pwm_device__hwpwm();
    return at == IRKISS_NO_OFFSET ? 0 : __irkiss_core_reads(output + at);
}

/* IRKISS_GHOST_HOLDER of the chip: the number of the output in use, and one more; 0: none. Of three users two are told apart. */
IRKISS_ASSUMES("outputs-apart")
void __irkiss_output_begins(const void *chip, const char *output)
{
    u64 used, own;
    if (!chip || !output || __irkiss_offsetof__pwm_device__hwpwm() == IRKISS_NO_OFFSET)
        return;
    own = (u64)number_of(output) + 1;
    __irkiss_atomic_begin();
    used = __irkiss_ghost_get(chip, IRKISS_GHOST_HOLDER);
    __irkiss_assume(used != own);
    if (!used)
        __irkiss_ghost_set(chip, IRKISS_GHOST_HOLDER, own);
    __irkiss_atomic_end();
}

void __irkiss_output_ends(const void *chip, const char *output)
{
    if (!chip || !output || __irkiss_offsetof__pwm_device__hwpwm() == IRKISS_NO_OFFSET)
        return;
    __irkiss_atomic_begin();
    if (__irkiss_ghost_get(chip, IRKISS_GHOST_HOLDER) == (u64)number_of(output) + 1)
        __irkiss_ghost_set(chip, IRKISS_GHOST_HOLDER, 0);
    __irkiss_atomic_end();
}
