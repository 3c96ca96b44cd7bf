/* Ports and device registers: what is read is arbitrary, what is written is lost. */
#include "irkiss_linux.h"

#define READ(name, type, bits, ...) \
    type name(__VA_ARGS__) \
    { \
        return __irkiss_nondet_u##bits(); \
    }
#define WRITE(name, ...) \
    void name(__VA_ARGS__) \
    { \
    }
READ(irkiss_model____inb, u8, 8, u16)
READ(irkiss_model____inw, u16, 16, u16)
READ(irkiss_model____inl, u32, 32, u16)
READ(irkiss_model__inb, u8, 8, u16)
READ(irkiss_model__inw, u16, 16, u16)
READ(irkiss_model__inl, u32, 32, u16)
WRITE(irkiss_model____outb, u8, u16)
WRITE(irkiss_model____outw, u16, u16)
WRITE(irkiss_model____outl, u32, u16)
WRITE(irkiss_model__outb, u8, u16)
WRITE(irkiss_model__outw, u16, u16)
WRITE(irkiss_model__outl, u32, u16)

READ(irkiss_model__readb, u8, 8, const void *)
READ(irkiss_model__readw, u16, 16, const void *)
READ(irkiss_model__readl, u32, 32, const void *)
READ(irkiss_model__readq, u64, 64, const void *)
READ(irkiss_model____readb, u8, 8, const void *)
READ(irkiss_model____readw, u16, 16, const void *)
READ(irkiss_model____readl, u32, 32, const void *)
READ(irkiss_model____readq, u64, 64, const void *)
WRITE(irkiss_model__writeb, u8, void *)
WRITE(irkiss_model__writew, u16, void *)
WRITE(irkiss_model__writel, u32, void *)
WRITE(irkiss_model__writeq, u64, void *)
WRITE(irkiss_model____writeb, u8, void *)
WRITE(irkiss_model____writew, u16, void *)
WRITE(irkiss_model____writel, u32, void *)
WRITE(irkiss_model____writeq, u64, void *)

READ(ioread8, u32, 8, const void *)
READ(ioread16, u32, 16, const void *)
READ(ioread32, u32, 32, const void *)
WRITE(iowrite8, u8, void *)
WRITE(iowrite16, u16, void *)
WRITE(iowrite32, u32, void *)

/* Block transfers: the kernel's buffer is written or read. */
void irkiss_model__insb(u16, void *to, unsigned long count)
{
    __irkiss_havoc(to, count);
}

void irkiss_model__insw(u16, void *to, unsigned long count)
{
    __irkiss_havoc(to, (u64)count * 2);
}

void irkiss_model__insl(u16, void *to, unsigned long count)
{
    __irkiss_havoc(to, (u64)count * 4);
}

void irkiss_model__outsb(u16, const void *from, unsigned long count)
{
    __irkiss_touch(from, count);
}

void irkiss_model__outsw(u16, const void *from, unsigned long count)
{
    __irkiss_touch(from, (u64)count * 2);
}

void irkiss_model__outsl(u16, const void *from, unsigned long count)
{
    __irkiss_touch(from, (u64)count * 4);
}

void *ioremap(u64, unsigned long)
{
    return __irkiss_nondet_ptr();
}

/* The same with other attributes of the pages: what lies there is the device's. */
void *ioremap_wc(u64, unsigned long)
{
    return __irkiss_nondet_ptr();
}

void *ioremap_uc(u64, unsigned long)
{
    return __irkiss_nondet_ptr();
}

void *ioremap_cache(u64, unsigned long)
{
    return __irkiss_nondet_ptr();
}

void *pci_iomap_range(void *, int, unsigned long, unsigned long)
{
    return __irkiss_nondet_ptr();
}

void iounmap(void *)
{
}

void *pci_iomap(void *, int, unsigned long)
{
    return __irkiss_nondet_ptr();
}

void pci_iounmap(void *, void *)
{
}

/* ---- Many values of one register (lib/iomap.c: ioread8_rep and its like). ---- */
#define REPEATED(bits, bytes) \
    void ioread##bits##_rep(const void *, void *to, unsigned long count) \
    { \
        if (count) \
            __irkiss_havoc(to, count * bytes); \
    } \
    void iowrite##bits##_rep(void *, const void *from, unsigned long count) \
    { \
        if (count) \
            __irkiss_touch(from, count * bytes); \
    }
REPEATED(8, 1)
REPEATED(16, 2)
REPEATED(32, 4)
