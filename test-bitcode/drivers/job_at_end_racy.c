// irkiss: --pair scaler_device_run,scaler_stop ; expect: race ; lazy: yes
//
// As job_at_end_safe.c, but the driver switches it off itself, and waits for no job.
#include "streaming.h"

extern int vb2_streamoff(struct vb2_queue *queue, u32 type);

struct scaler_ctx { struct v4l2_fh fh; u32 width, seen; };

static struct v4l2_m2m_dev *scaler;
static DEFINE_MUTEX(scaler_lock);

static void scaler_stop(struct vb2_queue *queue)
{
	struct scaler_ctx *ctx = queue->drv_priv;

	ctx->seen = 0; // RACE
}
static const struct vb2_ops scaler_queue_ops = { .stop_streaming = scaler_stop };

static int scaler_queue_init(void *priv, struct vb2_queue *source, struct vb2_queue *destination)
{
	source->type = 2;
	source->lock = &scaler_lock;
	source->ops = &scaler_queue_ops;
	source->drv_priv = priv;
	destination->type = 1;
	destination->ops = &scaler_queue_ops;
	destination->drv_priv = priv;
	destination->lock = &scaler_lock;
	return vb2_queue_init(source) ? : vb2_queue_init(destination);
}

static void scaler_device_run(void *priv)
{
	struct scaler_ctx *ctx = priv;

	ctx->seen = ctx->width; // RACE
}
static const struct v4l2_m2m_ops scaler_m2m_ops = { .device_run = scaler_device_run };

static struct video_device scaler_video;

static int scaler_open(struct file *file)
{
	struct scaler_ctx *ctx = kzalloc(sizeof(*ctx), GFP_KERNEL);

	if (!ctx)
		return -ENOMEM;
	v4l2_fh_init(&ctx->fh, &scaler_video);
	file->private_data = &ctx->fh;
	ctx->fh.m2m_ctx = v4l2_m2m_ctx_init(scaler, ctx, scaler_queue_init);
	if (IS_ERR(ctx->fh.m2m_ctx))
		return PTR_ERR(ctx->fh.m2m_ctx);
	return 0;
}

static int scaler_streamoff(struct file *file, void *fh, u32 type)
{
	struct scaler_ctx *ctx = container_of(file->private_data, struct scaler_ctx, fh);

	return vb2_streamoff(v4l2_m2m_get_vq(ctx->fh.m2m_ctx, type), type);
}
static const struct v4l2_ioctl_ops scaler_ioctl_ops = { .vidioc_streamoff = scaler_streamoff };
static const struct v4l2_file_operations scaler_fops = { .owner = THIS_MODULE, .open = scaler_open };

static int scaler_probe(struct platform_device *pdev)
{
	scaler = v4l2_m2m_init(&scaler_m2m_ops);
	if (IS_ERR(scaler))
		return PTR_ERR(scaler);
	scaler_video.fops = &scaler_fops;
	scaler_video.ioctl_ops = &scaler_ioctl_ops;
	scaler_video.lock = &scaler_lock;
	return __video_register_device(&scaler_video, 0, -1, 1, THIS_MODULE);
}

static struct platform_driver scaler_driver = { .probe = scaler_probe, .driver = { .name = "scaler" } };

int init_module(void)
{
	return platform_driver_register(&scaler_driver);
}
