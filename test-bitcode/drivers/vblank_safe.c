// irkiss: ; expect: none ; lazy: yes
//
// Vertical blanking is switched on and off under a lock of the device.
#include "kernel.h"

struct drm_crtc;
struct drm_crtc_funcs {
    int (*enable_vblank)(struct drm_crtc *crtc);
    void (*disable_vblank)(struct drm_crtc *crtc);
};
extern int drm_crtc_init_with_planes(void *device, struct drm_crtc *crtc, void *primary, void *cursor,
                                     const struct drm_crtc_funcs *funcs, const char *name, ...);

static long period;

static int demo_enable_vblank(struct drm_crtc *crtc)
{
    period = 16; // NORACE
    return 0;
}

static void demo_disable_vblank(struct drm_crtc *crtc)
{
    period = 0; // NORACE
}

static const struct drm_crtc_funcs demo_funcs = { .enable_vblank = demo_enable_vblank, .disable_vblank = demo_disable_vblank };

static int demo_init(void)
{
    return drm_crtc_init_with_planes(NULL, NULL, NULL, NULL, &demo_funcs, NULL);
}

module_init(demo_init)
