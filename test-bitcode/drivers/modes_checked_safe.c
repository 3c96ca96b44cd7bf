// irkiss: ; expect: none ; lazy: yes
//
// Whoever asks a bridge for its modes, and whether it can do one, for a commit or not, holds the lock of connections.
#include "part_linux.h"

struct drm_bridge;
struct drm_connector;
struct drm_display_info;
struct drm_display_mode;
struct drm_bridge_funcs {
	int (*get_modes)(struct drm_bridge *bridge, struct drm_connector *connector);
	int (*mode_valid)(struct drm_bridge *bridge, const struct drm_display_info *info, const struct drm_display_mode *mode);
	void (*enable)(struct drm_bridge *bridge);
};
struct drm_bridge {
	const struct drm_bridge_funcs *funcs;
	void *driver_private;
};
extern void drm_bridge_add(struct drm_bridge *bridge);

static struct drm_bridge bridge;
int lanes;

static int demo_modes(struct drm_bridge *bridge, struct drm_connector *connector)
{
	lanes = 4; // NORACE
	return 0;
}

static int demo_valid(struct drm_bridge *bridge, const struct drm_display_info *info, const struct drm_display_mode *mode)
{
	return lanes++; // NORACE
}

static const struct drm_bridge_funcs demo_funcs = { .get_modes = demo_modes, .mode_valid = demo_valid };

static int demo_probe(struct platform_device *pdev)
{
	bridge.funcs = &demo_funcs;
	drm_bridge_add(&bridge);
	return 0;
}

static struct platform_driver demo_driver = { .probe = demo_probe, .driver = { .name = "demo" } };

int init_module(void)
{
	return platform_driver_register(&demo_driver);
}
