// irkiss: ; expect: none ; lazy: yes
//
// No request comes for a family that is unregistered, and one that has begun has ended.
#include "part_linux.h"

struct genl_ops {
	int (*doit)(void *skb, void *info);
	unsigned char cmd;
};
struct genl_family {
	int id;
	char name[16];
	const struct genl_ops *ops;
	unsigned char n_ops;
};
extern int genl_register_family(struct genl_family *family);
extern int genl_unregister_family(const struct genl_family *family);

int requests;

static int demo_request(void *skb, void *info)
{
	return ++requests; // NORACE
}
static const struct genl_ops demo_ops[] = { { .doit = demo_request, .cmd = 1 } };
static struct genl_family demo_family = { .name = "demo", .ops = demo_ops, .n_ops = 1 };

static int demo_probe(struct platform_device *pdev)
{
	return genl_register_family(&demo_family);
}

static int demo_remove(struct platform_device *pdev)
{
	genl_unregister_family(&demo_family);
	requests = 0; // NORACE
	return 0;
}

static struct platform_driver demo_driver = { .probe = demo_probe, .remove = demo_remove, .driver = { .name = "demo" } };

int init_module(void)
{
	return platform_driver_register(&demo_driver);
}

void cleanup_module(void)
{
	platform_driver_unregister(&demo_driver);
}
