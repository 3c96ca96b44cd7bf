// irkiss: ; expect: race ; forms: nopass ; lazy: yes
//
// As copied_safe.c, but the writer does not take the lock.
#include "kernel.h"

// The bodies are not what the functions do: they are known by name.
#define INLINE static __attribute__((noinline))
INLINE unsigned long copy_to_user(void __user *to, const void *from, unsigned long n) { return 0; }
INLINE unsigned long copy_from_user(void *to, const void __user *from, unsigned long n) { return 0; }
INLINE unsigned long raw_copy_to_user(void __user *to, const void *from, unsigned long n) { return 0; }
INLINE unsigned long raw_copy_from_user(void *to, const void __user *from, unsigned long n) { return 0; }
INLINE void insb(unsigned short port, void *to, unsigned long count) { }
INLINE void insw(unsigned short port, void *to, unsigned long count) { }
INLINE void insl(unsigned short port, void *to, unsigned long count) { }
INLINE void outsb(unsigned short port, const void *from, unsigned long count) { }
INLINE void outsw(unsigned short port, const void *from, unsigned long count) { }
INLINE void outsl(unsigned short port, const void *from, unsigned long count) { }

static long shared[10][8];
static DEFINE_MUTEX(lock);

// Of what has two units, the last byte.
static ssize_t demo_read(struct file *file, char __user *buffer, size_t bytes, loff_t *position)
{
    WRITE_ONCE(((char *)shared[0])[3], 1); // RACE
    WRITE_ONCE(((char *)shared[1])[3], 1); // RACE
    WRITE_ONCE(((char *)shared[2])[3], 1); // RACE
    WRITE_ONCE(((char *)shared[3])[3], 1); // RACE
    WRITE_ONCE(((char *)shared[4])[1], 1); // RACE
    WRITE_ONCE(((char *)shared[5])[3], 1); // RACE
    WRITE_ONCE(((char *)shared[6])[7], 1); // RACE
    WRITE_ONCE(((char *)shared[7])[1], 1); // RACE
    WRITE_ONCE(((char *)shared[8])[3], 1); // RACE
    WRITE_ONCE(((char *)shared[9])[7], 1); // RACE
    return 0;
}

static ssize_t demo_write(struct file *file, const char __user *buffer, size_t bytes, loff_t *position)
{
    mutex_lock(&lock);
    copy_to_user(NULL, shared[0], 4); // RACE
    copy_from_user(shared[1], NULL, 4); // RACE
    raw_copy_to_user(NULL, shared[2], 4); // RACE
    raw_copy_from_user(shared[3], NULL, 4); // RACE
    insb(0, shared[4], 2); // RACE
    insw(0, shared[5], 2); // RACE
    insl(0, shared[6], 2); // RACE
    outsb(0, shared[7], 2); // RACE
    outsw(0, shared[8], 2); // RACE
    outsl(0, shared[9], 2); // RACE
    mutex_unlock(&lock);
    return 0;
}

static const struct file_operations demo_fops = { .owner = THIS_MODULE, .read = demo_read, .write = demo_write };
static struct miscdevice demo_device = { .minor = 255, .name = "demo", .fops = &demo_fops };

static int demo_init(void)
{
    return misc_register(&demo_device);
}

module_init(demo_init)
