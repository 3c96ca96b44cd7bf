// irkiss: ; expect: race ; lazy: yes
//
// As buffers_of_queue_safe.c, but the width is set whether there are buffers or not.
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

static int camera_start(struct vb2_queue *queue, unsigned int count)
{
	return 0;
}

static void camera_queue(struct vb2_buffer *buffer)
{
	mod_timer(&camera.frames, jiffies + 1);
}

static void camera_stop(struct vb2_queue *queue)
{
	del_timer_sync(&camera.frames);
}
static const struct vb2_ops camera_queue_ops = { .start_streaming = camera_start, .stop_streaming = camera_stop, .buf_queue = camera_queue };

static int camera_s_fmt(struct file *file, void *fh, struct v4l2_format *format)
{
	camera.width = format->width; // RACE
	return 0;
}
static const struct v4l2_ioctl_ops camera_ioctl_ops = { .vidioc_s_fmt_vid_cap = camera_s_fmt };
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
