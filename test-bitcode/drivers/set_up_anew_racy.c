// irkiss: ; expect: race ; lazy: yes
//
// As set_up_anew_safe.c, but buffers that come later set it up anew.
#include "streaming.h"

struct camera {
	struct video_device video;
	struct vb2_queue queue;
	struct mutex lock;
	struct timer_list frames;
	u32 width, seen;
};
static struct camera camera;

static void camera_frame(struct timer_list *timer)
{
	camera.seen = camera.width; // RACE
}

static int camera_setup(struct vb2_queue *queue, unsigned int *buffers, unsigned int *planes, unsigned int sizes[], struct device *devices[])
{
	*planes = 1;
	sizes[0] = 4096;
	camera.width = sizes[0]; // RACE
	return 0;
}

static int camera_start(struct vb2_queue *queue, unsigned int count)
{
	mod_timer(&camera.frames, jiffies + 1);
	return 0;
}

static void camera_stop(struct vb2_queue *queue)
{
	del_timer_sync(&camera.frames);
}
static const struct vb2_ops camera_queue_ops = { .queue_setup = camera_setup, .start_streaming = camera_start, .stop_streaming = camera_stop };

static const struct v4l2_ioctl_ops camera_ioctl_ops = { };
static const struct v4l2_file_operations camera_fops = { .owner = THIS_MODULE };

static int camera_probe(struct platform_device *pdev)
{
	mutex_init(&camera.lock);
	timer_setup(&camera.frames, camera_frame, 0);
	camera.queue.type = 1;
	camera.queue.ops = &camera_queue_ops;
	camera.queue.lock = &camera.lock;
	if (vb2_queue_init(&camera.queue))
		return -EIO;
	camera.video.fops = &camera_fops;
	camera.video.ioctl_ops = &camera_ioctl_ops;
	camera.video.queue = &camera.queue;
	camera.video.lock = &camera.lock;
	return __video_register_device(&camera.video, 0, -1, 1, THIS_MODULE);
}

static struct platform_driver camera_driver = { .probe = camera_probe, .driver = { .name = "camera" } };

int init_module(void)
{
	return platform_driver_register(&camera_driver);
}
