// irkiss: ; expect: none
//
// v4l2_m2m_ctx_init calls the function that sets up the two queues of the new context before it returns: in open, which
// holds the mutex.
#include "part_linux.h"

struct vb2_queue { unsigned int type; void *drv_priv; struct mutex *lock; };
struct v4l2_m2m_dev;
struct v4l2_m2m_queue_ctx { struct vb2_queue q; struct list_head rdy_queue; };
struct v4l2_m2m_ctx { struct mutex *q_lock; struct v4l2_m2m_dev *m2m_dev; struct v4l2_m2m_queue_ctx cap_q_ctx, out_q_ctx; void *priv; };
extern struct v4l2_m2m_ctx *v4l2_m2m_ctx_init(struct v4l2_m2m_dev *dev, void *priv, int (*queue_init)(void *, struct vb2_queue *, struct vb2_queue *));

static struct v4l2_m2m_dev *scaler;
static DEFINE_MUTEX(scaler_lock);
static int contexts;

static int scaler_queue_init(void *priv, struct vb2_queue *source, struct vb2_queue *destination)
{
	source->type = 1;
	source->lock = &scaler_lock;
	source->drv_priv = priv;
	destination->type = 2;
	destination->lock = &scaler_lock;
	destination->drv_priv = priv;
	contexts++;
	return 0;
}

static int scaler_open(struct inode *inode, struct file *file)
{
	struct v4l2_m2m_ctx *ctx;

	mutex_lock(&scaler_lock);
	ctx = v4l2_m2m_ctx_init(scaler, file, scaler_queue_init);
	mutex_unlock(&scaler_lock);
	if (IS_ERR(ctx))
		return PTR_ERR(ctx);
	file->private_data = ctx;
	return 0;
}

static long scaler_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	long count;

	mutex_lock(&scaler_lock);
	count = contexts;
	mutex_unlock(&scaler_lock);
	return count;
}

static const struct file_operations scaler_fops = { .owner = THIS_MODULE, .open = scaler_open, .unlocked_ioctl = scaler_ioctl };
static struct miscdevice scaler_misc = { .minor = 255, .name = "scaler", .fops = &scaler_fops };

int init_module(void)
{
	return misc_register(&scaler_misc);
}

void cleanup_module(void)
{
	misc_deregister(&scaler_misc);
}
