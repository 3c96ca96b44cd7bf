// irkiss: --property removed ; expect: none
//
// Two readers of one kind: module exit unregisters both, and with the second none of their functions is called any more.
#include "../drivers/kernel.h"

struct nfc_digital_dev;
struct nfc_digital_ops {
    int (*switch_rf)(struct nfc_digital_dev *, int);
    void (*abort_cmd)(struct nfc_digital_dev *);
};
extern struct nfc_digital_dev *nfc_digital_allocate_device(const struct nfc_digital_ops *, unsigned int, unsigned int, int, int);
extern int nfc_digital_register_device(struct nfc_digital_dev *);
extern void nfc_digital_unregister_device(struct nfc_digital_dev *), nfc_digital_free_device(struct nfc_digital_dev *);

int field, aborted;

static int tag_switch(struct nfc_digital_dev *dev, int on)
{
    WRITE_ONCE(field, on);
    return 0;
}

static void tag_abort(struct nfc_digital_dev *dev)
{
    WRITE_ONCE(aborted, 1);
}

static const struct nfc_digital_ops tag_ops = { .switch_rf = tag_switch, .abort_cmd = tag_abort };
static struct nfc_digital_dev *first, *second;

static int tag_init(void)
{
    first = nfc_digital_allocate_device(&tag_ops, 32, 0, 0, 0);
    second = nfc_digital_allocate_device(&tag_ops, 32, 0, 0, 0);
    if (!first || !second)
        return -ENOMEM;
    if (nfc_digital_register_device(first))
        return -EBUSY;
    return nfc_digital_register_device(second);
}

static void tag_exit(void)
{
    nfc_digital_unregister_device(first);
    nfc_digital_unregister_device(second);
    nfc_digital_free_device(first);
    nfc_digital_free_device(second);
}

module_init(tag_init)
module_exit(tag_exit)
