// irkiss: ; expect: none
//
// The CEC core calls adap_enable, adap_log_addr and adap_transmit with cec_adapter.lock held, so none overlaps another of one adapter.
#include "part_linux.h"

struct cec_adapter;
struct cec_msg { u64 tx_ts, rx_ts; u32 len, timeout, sequence, flags; u8 msg[16]; };
struct cec_adap_ops {
	int (*adap_enable)(struct cec_adapter *adap, bool enable);
	int (*adap_monitor_all_enable)(struct cec_adapter *adap, bool enable);
	int (*adap_monitor_pin_enable)(struct cec_adapter *adap, bool enable);
	int (*adap_log_addr)(struct cec_adapter *adap, u8 logical_addr);
	int (*adap_transmit)(struct cec_adapter *adap, u8 attempts, u32 signal_free_time, struct cec_msg *msg);
};
struct cec_adapter { struct module *owner; char name[32]; struct mutex lock; const struct cec_adap_ops *ops; void *priv; };
extern struct cec_adapter *cec_allocate_adapter(const struct cec_adap_ops *ops, void *priv, const char *name, u32 caps, u8 addresses);
extern int cec_register_adapter(struct cec_adapter *adap, struct device *parent);
extern void cec_unregister_adapter(struct cec_adapter *adap);
extern void cec_delete_adapter(struct cec_adapter *adap);
static inline void *cec_get_drvdata(const struct cec_adapter *adap) { return adap->priv; }

struct tv { struct cec_adapter *adap; int address, sent; };

static int tv_enable(struct cec_adapter *adap, bool enable)
{
	struct tv *tv = cec_get_drvdata(adap);

	if (!enable)
		tv->address = 0;
	return 0;
}

static int tv_log_addr(struct cec_adapter *adap, u8 address)
{
	struct tv *tv = cec_get_drvdata(adap);

	tv->address = address;
	return 0;
}

static int tv_transmit(struct cec_adapter *adap, u8 attempts, u32 signal_free_time, struct cec_msg *msg)
{
	struct tv *tv = cec_get_drvdata(adap);

	tv->sent += msg->len + tv->address;
	return 0;
}

static const struct cec_adap_ops tv_ops = { .adap_enable = tv_enable, .adap_log_addr = tv_log_addr, .adap_transmit = tv_transmit };

static int tv_probe(struct platform_device *pdev)
{
	struct tv *tv = kzalloc(sizeof(*tv), GFP_KERNEL);
	int error;

	if (!tv)
		return -ENOMEM;
	tv->adap = cec_allocate_adapter(&tv_ops, tv, "tv", 0, 1);
	if (IS_ERR(tv->adap)) {
		error = PTR_ERR(tv->adap);
		goto free;
	}
	error = cec_register_adapter(tv->adap, &pdev->dev);
	if (error) {
		cec_delete_adapter(tv->adap);
		goto free;
	}
	platform_set_drvdata(pdev, tv);
	return 0;
free:
	kfree(tv);
	return error;
}

static int tv_remove(struct platform_device *pdev)
{
	struct tv *tv = platform_get_drvdata(pdev);

	cec_unregister_adapter(tv->adap);
	kfree(tv);
	return 0;
}

static struct platform_driver tv_driver = { .probe = tv_probe, .remove = tv_remove, .driver = { .name = "tv" } };

int init_module(void)
{
	return platform_driver_register(&tv_driver);
}

void cleanup_module(void)
{
	platform_driver_unregister(&tv_driver);
}
