// irkiss: --unwind 4 ; expect: none ; lazy: yes
//
// Objects whose layout the debug info tells (ports of terminals, requests, controls), calls for each object, grace periods, per-CPU
// memory, lists.
#include "answers.h"

struct tty_struct {
    int count;
};
struct tty_port;
struct tty_port_operations {
    int (*carrier_raised)(struct tty_port *);
    void (*shutdown)(struct tty_port *);
    int (*activate)(struct tty_port *, struct tty_struct *);
};
struct tty_port {
    long buf[4];
    struct tty_struct *tty;
    const struct tty_port_operations *ops;
    int count;
    unsigned long iflags;
    struct mutex mutex;
};
extern void tty_port_init(struct tty_port *), tty_port_tty_set(struct tty_port *, struct tty_struct *), tty_port_hangup(struct tty_port *);
extern struct tty_struct *tty_port_tty_get(struct tty_port *);
extern int tty_port_open(struct tty_port *, struct tty_struct *, void *);
extern void tty_port_close(struct tty_port *, struct tty_struct *, void *);
extern int tty_port_block_til_ready(struct tty_port *, struct tty_struct *, void *);
extern int tty_prepare_flip_string(struct tty_port *, unsigned char **, size_t);
extern _Bool mutex_is_locked(struct mutex *);
static int activated, shut;
static struct tty_struct terminal;
static struct tty_port port = { .count = 9 };

static int activate(struct tty_port *p, struct tty_struct *tty)
{
    CHECK(mutex_is_locked(&p->mutex));
    activated++;
    return 0;
}

static void shut_down(struct tty_port *p)
{
    CHECK(mutex_is_locked(&p->mutex));
    shut++;
}

static void ports(void)
{
    static struct tty_port_operations operations;
    unsigned char *room = NULL;
    int error = tty_port_block_til_ready(&port, &terminal, NULL);
    CHECK(error == 0 || error == -512);
    operations.activate = activate;
    operations.shutdown = shut_down;
    tty_port_init(&port);
    CHECK(port.count == 0);
    port.ops = &operations;
    tty_port_tty_set(&port, &terminal);
    CHECK(port.tty == &terminal && tty_port_tty_get(&port) == &terminal);
    port.tty = NULL;
    tty_port_open(&port, &terminal, NULL);
    CHECK(activated == 1 && port.count == 1 && port.tty == &terminal && port.iflags == 1);
    tty_port_open(&port, &terminal, NULL);
    CHECK(activated == 1 && port.count == 2);
    tty_port_close(&port, &terminal, NULL);
    CHECK(port.count == 1 && shut <= 1);
    tty_port_hangup(&port);
    CHECK(port.count == 0 && !port.tty && shut == 1 && port.iflags == 0);
    if (tty_prepare_flip_string(&port, &room, 4))
        CHECK(room);
}

struct usb_ep;
struct usb_request {
    void *buf;
    int length;
    void (*complete)(struct usb_ep *, struct usb_request *);
    int status;
};
extern struct usb_request *usb_ep_alloc_request(void *, unsigned int);
extern int usb_ep_queue(void *, struct usb_request *, unsigned int), usb_ep_dequeue(void *, struct usb_request *);
struct snd_kcontrol {
    long id;
    void *private_data;
};
extern struct snd_kcontrol *snd_ctl_new1(const void *, void *);
extern int gpiochip_add_data_with_key(void *, void *, void *, void *);
extern void *gpiochip_get_data(void *);
static long chip[2];

static void requests(void)
{
    struct usb_request *request = usb_ep_alloc_request(NULL, 0);
    struct snd_kcontrol *control = snd_ctl_new1(NULL, &port);
    int error = usb_ep_dequeue(NULL, request);
    if (request) {
        CHECK(request->status == 0 && request->buf == NULL);
        error = usb_ep_queue(NULL, request, 0);
        CHECK(error == 0 || error == -108);
    }
    CHECK(usb_ep_dequeue(NULL, request) <= 0);
    if (control)
        CHECK(control->private_data == &port);
    if (!gpiochip_add_data_with_key(chip, &port, NULL, NULL))
        CHECK(gpiochip_get_data(chip) == &port);
}

extern int device_for_each_child(void *, void *, int (*)(void *, void *)), bus_for_each_dev(const void *, void *, void *, int (*)(void *, void *));
extern int class_for_each_device(const void *, void *, void *, int (*)(void *, void *));
extern int driver_for_each_device(void *, void *, void *, int (*)(void *, void *)), usb_for_each_dev(void *, int (*)(void *, void *));
extern void ieee80211_iterate_active_interfaces_atomic(void *, unsigned int, void (*)(void *, unsigned char *, void *), void *);

static int each(void *object, void *data)
{
    CHECK(object);
    return *(int *)data;
}

static void each_interface(void *data, unsigned char *mac, void *interface)
{
    *(int *)data = 8;
}

static void calls(void)
{
    int seven = 7;
#define SEVEN(call) \
    { \
        int result = call; \
        CHECK(result == 0 || result == 7); \
    }
    SEVEN(device_for_each_child(NULL, &seven, each))
    SEVEN(bus_for_each_dev(NULL, NULL, &seven, each))
    SEVEN(class_for_each_device(NULL, NULL, &seven, each))
    SEVEN(driver_for_each_device(NULL, NULL, &seven, each))
    SEVEN(usb_for_each_dev(&seven, each))
    ieee80211_iterate_active_interfaces_atomic(NULL, 0, each_interface, &seven);
    CHECK(seven == 7 || seven == 8);
}

extern void __rcu_read_lock(void), __rcu_read_unlock(void), synchronize_rcu(void), synchronize_net(void), synchronize_rcu_expedited(void);
extern void rcu_barrier(void);
extern _Bool __list_add_valid(void *, void *, void *), __list_del_entry_valid(void *);
extern _Bool __list_add_valid_or_report(void *, void *, void *), __list_del_entry_valid_or_report(void *);
extern int kthread_should_stop(void);
extern int mutex_trylock(struct mutex *);

static void others(void)
{
    __rcu_read_lock();
    __rcu_read_lock();
    __rcu_read_unlock();
    __rcu_read_unlock();
    synchronize_rcu();
    rcu_barrier();
    CHECK(__list_add_valid(NULL, NULL, NULL) && __list_del_entry_valid(NULL));
    CHECK(__list_add_valid_or_report(NULL, NULL, NULL) && __list_del_entry_valid_or_report(NULL));
}

// Each thread has a counter of its own: what the frontend makes of `add %gs:this_cpu_off`.
extern unsigned long this_cpu_off;
static long counter[2];

static long *mine(long *base)
{
    long *own;
    __asm__("add %%gs:%1, %0" : "=r"(own) : "m"(this_cpu_off), "0"(base));
    return own;
}

static void instances(void)
{
    long *own = mine(counter);
    *own = 5;
    CHECK(own != counter && counter[0] == 0 && *mine(counter) == 5);
}

static void answers(void)
{
    ports();
    requests();
    calls();
    others();
    instances();
}
