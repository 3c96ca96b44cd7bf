// irkiss: ; expect: race ; lazy: yes
//
// As vblank_safe.c, but a timer looks at the period, too.
#include "kernel.h"

struct drm_crtc;
struct drm_crtc_funcs {
    int (*enable_vblank)(struct drm_crtc *crtc);
    void (*disable_vblank)(struct drm_crtc *crtc);
};
extern int drm_crtc_init_with_planes(void *device, struct drm_crtc *crtc, void *primary, void *cursor,
                                     const struct drm_crtc_funcs *funcs, const char *name, ...);

static struct timer_list timer;
static long period;

static void demo_timer(struct timer_list *unused)
{
    mod_timer(&timer, period); // RACE
}

static int demo_enable_vblank(struct drm_crtc *crtc)
{
    period = 16; // RACE
    mod_timer(&timer, 16);
    return 0;
}

static void demo_disable_vblank(struct drm_crtc *crtc)
{
    period = 0; // RACE
}

static const struct drm_crtc_funcs demo_funcs = { .enable_vblank = demo_enable_vblank, .disable_vblank = demo_disable_vblank };

static int demo_init(void)
{
    timer_setup(&timer, demo_timer, 0);
    return drm_crtc_init_with_planes(NULL, NULL, NULL, NULL, &demo_funcs, NULL);
}

module_init(demo_init)
