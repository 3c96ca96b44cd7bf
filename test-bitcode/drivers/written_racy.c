// irkiss: ; expect: race ; lazy: yes
//
// As written_safe.c, but the reader does not take the lock.
#include "kernel.h"

extern void get_random_bytes(void *, size_t);
extern void ktime_get_real_ts64(void *);
extern void ktime_get_ts64(void *);
extern void ktime_get_coarse_real_ts64(void *);
extern void rtc_time64_to_tm(long long, void *);
extern unsigned long _copy_from_user(void *, const void *, unsigned long);
extern unsigned long raw_copy_from_user(void *, const void *, unsigned long);
extern void memcpy_fromio(void *, const volatile void *, size_t);
extern int skb_copy_bits(const void *, int, void *, int);
extern void sg_init_one(void *, const void *, unsigned int);
extern int nla_memcpy(void *, const void *, int);
extern size_t _copy_from_iter(void *, size_t, void *);

static long shared[12][8];
static DEFINE_MUTEX(writers);

static ssize_t demo_read(struct file *file, char __user *buffer, size_t bytes, loff_t *position)
{
    long sum = 0;
    sum += READ_ONCE(*(char *)shared[0]); // RACE
    sum += READ_ONCE(*(char *)shared[1]); // RACE
    sum += READ_ONCE(*(char *)shared[2]); // RACE
    sum += READ_ONCE(*(char *)shared[3]); // RACE
    sum += READ_ONCE(*(char *)shared[4]); // RACE
    sum += READ_ONCE(*(char *)shared[5]); // RACE
    sum += READ_ONCE(*(char *)shared[6]); // RACE
    sum += READ_ONCE(*(char *)shared[7]); // RACE
    sum += READ_ONCE(*(char *)shared[8]); // RACE
    sum += READ_ONCE(*(char *)shared[9]); // RACE
    sum += READ_ONCE(*(char *)shared[10]); // RACE
    sum += READ_ONCE(*(char *)shared[11]); // RACE
    return sum;
}

static ssize_t demo_write(struct file *file, const char __user *buffer, size_t bytes, loff_t *position)
{
    mutex_lock(&writers);
    get_random_bytes(shared[0], 4); // RACE
    ktime_get_real_ts64(shared[1]); // RACE
    ktime_get_ts64(shared[2]); // RACE
    ktime_get_coarse_real_ts64(shared[3]); // RACE
    rtc_time64_to_tm(0, shared[4]); // RACE
    _copy_from_user(shared[5], NULL, 4); // RACE
    raw_copy_from_user(shared[6], NULL, 4); // RACE
    memcpy_fromio(shared[7], NULL, 4); // RACE
    skb_copy_bits(NULL, 0, shared[8], 4); // RACE
    sg_init_one(shared[9], NULL, 4); // RACE
    nla_memcpy(shared[10], NULL, 4); // RACE
    _copy_from_iter(shared[11], 4, NULL); // RACE
    mutex_unlock(&writers);
    return 0;
}

static const struct file_operations demo_fops = {
    .owner = THIS_MODULE,
    .read = demo_read,
    .write = demo_write,
};

static struct miscdevice demo_device = { .minor = 255, .name = "demo", .fops = &demo_fops };

static int demo_init(void)
{
    return misc_register(&demo_device);
}

module_init(demo_init)
