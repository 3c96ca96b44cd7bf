// irkiss: --pair scaler_device_run,scaler_end ; expect: none ; lazy: yes
//
// The next job begins once the one before has been said to be over, and its buffers are given back.
#include "streaming.h"

extern void v4l2_m2m_buf_done_and_job_finish(struct v4l2_m2m_dev *dev, struct v4l2_m2m_ctx *ctx, u32 state);

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

static struct scaler_ctx *jobs;

static void scaler_end(struct work_struct *work)
{
	jobs->seen = 2; // NORACE
	v4l2_m2m_buf_done_and_job_finish(scaler, jobs->fh.m2m_ctx, 5);
}
static struct work_struct end = { .func = scaler_end };

static void scaler_device_run(void *priv)
{
	struct scaler_ctx *ctx = priv;

	ctx->seen = 1; // NORACE
	jobs = ctx;
	schedule_work(&end);
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

static const struct v4l2_ioctl_ops scaler_ioctl_ops = { };
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
