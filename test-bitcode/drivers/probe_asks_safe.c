// irkiss: ; expect: none ; lazy: yes
//
// Connecting asks the device for its version and waits until the interrupt handler has got the answer, as many drivers do. After that
// the interrupt handler looks at the fill level under the lock.
#include "part_linux.h"

struct serio;
struct serio_device_id { u8 type, extra, id, proto; };
struct serio_driver {
	const char *description;
	const struct serio_device_id *id_table;
	bool manual_bind;
	void (*write_wakeup)(struct serio *);
	irqreturn_t (*interrupt)(struct serio *, unsigned char, unsigned int);
	int (*connect)(struct serio *, struct serio_driver *);
	int (*reconnect)(struct serio *);
	int (*fast_reconnect)(struct serio *);
	void (*disconnect)(struct serio *);
	void (*cleanup)(struct serio *);
	struct device_driver driver;
};
struct serio { void *port_data; char name[32]; spinlock_t lock; int (*write)(struct serio *, unsigned char); struct serio_driver *drv; struct mutex drv_mutex; struct device dev; };
#define serio_get_drvdata(s) dev_get_drvdata(&(s)->dev)
#define serio_set_drvdata(s, d) dev_set_drvdata(&(s)->dev, d)
extern int serio_open(struct serio *serio, struct serio_driver *drv);
extern void serio_close(struct serio *serio);
extern int __serio_register_driver(struct serio_driver *drv, struct module *owner, const char *mod_name);
extern void serio_unregister_driver(struct serio_driver *drv);

#define ROOM 16
struct echo {
	struct serio *serio;
	struct completion answered;
	struct work_struct work;
	spinlock_t lock;
	unsigned int level, in, out;
	u8 ring[ROOM];
	u8 version;
};

static void echo_work(struct work_struct *work)
{
	struct echo *echo = container_of(work, struct echo, work);
	unsigned long flags;
	u8 c;

	spin_lock_irqsave(&echo->lock, flags);
	if (!echo->level) {
		spin_unlock_irqrestore(&echo->lock, flags);
		return;
	}
	c = echo->ring[echo->out];
	echo->out = (echo->out + 1) % ROOM;
	echo->level--;
	spin_unlock_irqrestore(&echo->lock, flags);
	if (c & 0x80) {
		echo->version = c & 0x7f;
		complete(&echo->answered);
	}
}

static irqreturn_t echo_interrupt(struct serio *serio, unsigned char c, unsigned int flags)
{
	struct echo *echo = serio_get_drvdata(serio);

	spin_lock(&echo->lock);
	if (echo->level == ROOM) {
		spin_unlock(&echo->lock);
		return IRQ_HANDLED;
	}
	echo->ring[echo->in] = c;
	echo->in = (echo->in + 1) % ROOM;
	echo->level++;
	spin_unlock(&echo->lock);
	schedule_work(&echo->work);
	return IRQ_HANDLED;
}

static int echo_connect(struct serio *serio, struct serio_driver *drv)
{
	struct echo *echo = kzalloc(sizeof(*echo), GFP_KERNEL);
	int error;

	if (!echo)
		return -ENOMEM;
	echo->serio = serio;
	init_completion(&echo->answered);
	INIT_WORK(&echo->work, echo_work);
	spin_lock_init(&echo->lock);
	serio_set_drvdata(serio, echo);
	error = serio_open(serio, drv);
	if (error)
		goto free;
	if (serio->write)
		serio->write(serio, 'V');
	if (!wait_for_completion_timeout(&echo->answered, HZ)) {
		error = -ETIMEDOUT;
		goto close;
	}
	return 0;
close:
	serio_close(serio);
	cancel_work_sync(&echo->work);
free:
	serio_set_drvdata(serio, NULL);
	kfree(echo);
	return error;
}

static void echo_disconnect(struct serio *serio)
{
	struct echo *echo = serio_get_drvdata(serio);

	serio_close(serio);
	cancel_work_sync(&echo->work);
	serio_set_drvdata(serio, NULL);
	kfree(echo);
}

static const struct serio_device_id echo_ids[] = { { 1, 0xff, 0xff, 0x3f }, { 0 } };
static struct serio_driver echo_driver = {
	.driver = { .name = "echo" },
	.id_table = echo_ids,
	.interrupt = echo_interrupt,
	.connect = echo_connect,
	.disconnect = echo_disconnect,
};

int init_module(void)
{
	return __serio_register_driver(&echo_driver, THIS_MODULE, "echo");
}

void cleanup_module(void)
{
	serio_unregister_driver(&echo_driver);
}
