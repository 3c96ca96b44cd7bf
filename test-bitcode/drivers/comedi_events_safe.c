// irkiss: ; expect: none ; lazy: yes
//
// A command of comedi ends in the interrupt handler, which has the core call the subdevice's `cancel`: there without the mutex that is held
// around its other functions, so that both take a lock.
#include "part_linux.h"

struct comedi_device;
struct comedi_subdevice {
    struct comedi_device *device;
    int (*insn_config)(struct comedi_device *, struct comedi_subdevice *, void *, unsigned int *);
    int (*cancel)(struct comedi_device *, struct comedi_subdevice *);
};
extern unsigned int comedi_handle_events(struct comedi_device *dev, struct comedi_subdevice *s);

struct demo {
    spinlock_t lock;
    int running;
};
static struct demo demo;

static int demo_config(struct comedi_device *dev, struct comedi_subdevice *s, void *instruction, unsigned int *data)
{
    unsigned long flags;

    flags = _raw_spin_lock_irqsave(&demo.lock.rlock);
    demo.running++;
    _raw_spin_unlock_irqrestore(&demo.lock.rlock, flags);
    return 0;
}

static int demo_cancel(struct comedi_device *dev, struct comedi_subdevice *s)
{
    unsigned long flags;

    flags = _raw_spin_lock_irqsave(&demo.lock.rlock);
    demo.running = 0;
    _raw_spin_unlock_irqrestore(&demo.lock.rlock, flags);
    return 0;
}
static struct comedi_subdevice subdevice = { NULL, demo_config, demo_cancel };

static irqreturn_t demo_irq(int irq, void *data)
{
    comedi_handle_events(NULL, &subdevice);
    return IRQ_HANDLED;
}

static int demo_probe(struct platform_device *pdev)
{
    return devm_request_irq(&pdev->dev, platform_get_irq(pdev, 0), demo_irq, 0, "demo", pdev);
}

static struct platform_driver demo_driver = { .probe = demo_probe, .driver = { .name = "demo" } };

int init_module(void)
{
    return platform_driver_register(&demo_driver);
}

void cleanup_module(void)
{
    platform_driver_unregister(&demo_driver);
}
