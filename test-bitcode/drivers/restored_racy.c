// irkiss: ; expect: race
//
// As restored_safe.c, but freezing ends nothing.
#include "restored.h"

static DEFINE_SPINLOCK(lock);
static int ready;
int level;

static void look(struct work_struct *work)
{
	spin_lock(&lock);
	if (ready)
		level = 1; // RACE
	spin_unlock(&lock);
}
static struct work_struct looking;

static int lamp_freeze(struct virtio_device *device)
{
	spin_lock(&lock);
	level = 2;
	spin_unlock(&lock);
	return 0;
}

static int lamp_restore(struct virtio_device *device)
{
	level = 0; // RACE
	spin_lock(&lock);
	ready = 1;
	spin_unlock(&lock);
	return 0;
}

static int lamp_probe(struct virtio_device *device)
{
	ready = 1;
	INIT_WORK(&looking, look);
	schedule_work(&looking);
	return 0;
}

static struct virtio_driver lamp_driver = {
	.driver = { .name = "lamp" }, .probe = lamp_probe, .freeze = lamp_freeze, .restore = lamp_restore,
};

int init_module(void)
{
	return register_virtio_driver(&lamp_driver);
}
