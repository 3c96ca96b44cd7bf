// irkiss: --pair scaler_job_ready,scaler_s_fmt ; expect: none ; lazy: yes
//
// A driver is asked whether a job may run only while both queues of its context stream: so the format, which is set under the lock of
// the queue and only while that has none, is not set beside that.
#include "streaming.h"

struct scaler_ctx { struct v4l2_fh fh; u32 width, seen; };

static struct v4l2_m2m_dev *scaler;
static DEFINE_MUTEX(scaler_lock);

static int scaler_queue_init(void *priv, struct vb2_queue *source, struct vb2_queue *destination)
{
	source->type = 2;
	source->lock = &scaler_lock;
	destination->type = 1;
	destination->lock = &scaler_lock;
	return 0;
}

static int scaler_job_ready(void *priv)
{
	struct scaler_ctx *ctx = priv;

	ctx->seen = ctx->width; // NORACE
	return 1;
}
static const struct v4l2_m2m_ops scaler_m2m_ops = { .job_ready = scaler_job_ready };

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

static int scaler_s_fmt(struct file *file, void *fh, struct v4l2_format *format)
{
	struct scaler_ctx *ctx = container_of(file->private_data, struct scaler_ctx, fh);
	struct vb2_queue *queue = v4l2_m2m_get_vq(ctx->fh.m2m_ctx, format->type);

	if (vb2_is_busy(queue))
		return -EBUSY;
	ctx->width = format->width; // NORACE
	return 0;
}
static const struct v4l2_ioctl_ops scaler_ioctl_ops = { .vidioc_s_fmt_vid_cap = scaler_s_fmt };
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
