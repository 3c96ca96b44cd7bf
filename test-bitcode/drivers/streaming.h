/* Part of the headers of video devices: queues of buffers, and devices from memory to memory. */
#include "part_linux.h"

struct vb2_queue;
struct vb2_buffer { struct vb2_queue *vb2_queue; unsigned int index; };
struct vb2_ops {
	int (*queue_setup)(struct vb2_queue *queue, unsigned int *buffers, unsigned int *planes, unsigned int sizes[], struct device *devices[]);
	int (*buf_prepare)(struct vb2_buffer *buffer);
	int (*start_streaming)(struct vb2_queue *queue, unsigned int count);
	void (*stop_streaming)(struct vb2_queue *queue);
	void (*buf_queue)(struct vb2_buffer *buffer);
};
struct vb2_queue { unsigned int type; const struct vb2_ops *ops; struct mutex *lock; void *drv_priv; unsigned int num_buffers; };
extern int vb2_queue_init(struct vb2_queue *queue);
static inline bool vb2_is_busy(struct vb2_queue *queue)
{
	return queue->num_buffers > 0;
}

struct v4l2_format { u32 type; u32 width; };
struct video_device;
struct v4l2_fh { struct list_head list; struct video_device *vdev; struct v4l2_m2m_ctx *m2m_ctx; };
extern void v4l2_fh_init(struct v4l2_fh *fh, struct video_device *vdev);
struct v4l2_file_operations { struct module *owner; int (*open)(struct file *file); int (*release)(struct file *file); };
struct v4l2_ioctl_ops {
	int (*vidioc_s_fmt_vid_cap)(struct file *file, void *fh, struct v4l2_format *format);
	int (*vidioc_streamon)(struct file *file, void *fh, u32 type);
	int (*vidioc_streamoff)(struct file *file, void *fh, u32 type);
};
struct video_device {
	struct device dev;
	const struct v4l2_file_operations *fops;
	const struct v4l2_ioctl_ops *ioctl_ops;
	struct vb2_queue *queue;
	struct mutex *lock;
};
extern int __video_register_device(struct video_device *vdev, int type, int nr, int warn, struct module *owner);
extern void video_unregister_device(struct video_device *vdev);

struct v4l2_m2m_dev;
struct v4l2_m2m_ops { void (*device_run)(void *priv); int (*job_ready)(void *priv); void (*job_abort)(void *priv); };
struct v4l2_m2m_queue_ctx { struct vb2_queue q; struct list_head rdy_queue; };
struct v4l2_m2m_ctx { struct mutex *q_lock; struct v4l2_m2m_dev *m2m_dev; struct v4l2_m2m_queue_ctx cap_q_ctx, out_q_ctx; void *priv; };
extern struct v4l2_m2m_dev *v4l2_m2m_init(const struct v4l2_m2m_ops *ops);
extern struct v4l2_m2m_ctx *v4l2_m2m_ctx_init(struct v4l2_m2m_dev *dev, void *priv, int (*queue_init)(void *, struct vb2_queue *, struct vb2_queue *));
extern struct vb2_queue *v4l2_m2m_get_vq(struct v4l2_m2m_ctx *ctx, u32 type);
