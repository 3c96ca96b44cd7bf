/* Clients of engines that move memory, as include/linux/dmaengine.h has them. */
struct dma_chan;
struct dma_async_tx_descriptor {
	int cookie;
	unsigned int flags;
	struct dma_chan *chan;
	int (*tx_submit)(struct dma_async_tx_descriptor *);
	void (*callback)(void *);
	void (*callback_result)(void *, const void *);
	void *callback_param;
};
struct dma_device {
	struct dma_async_tx_descriptor *(*device_prep_dma_cyclic)(struct dma_chan *channel, unsigned long long at, size_t bytes,
								  size_t period, int direction, unsigned long flags);
	struct dma_async_tx_descriptor *(*device_prep_slave_sg)(struct dma_chan *channel, void *list, unsigned int length, int direction,
								unsigned long flags, void *context);
	struct dma_async_tx_descriptor *(*device_prep_dma_memcpy)(struct dma_chan *channel, unsigned long long to,
								  unsigned long long from, size_t bytes, unsigned long flags);
	struct dma_async_tx_descriptor *(*device_prep_interleaved_dma)(struct dma_chan *channel, void *pattern, unsigned long flags);
	int (*device_terminate_all)(struct dma_chan *channel);
	void (*device_synchronize)(struct dma_chan *channel);
	void (*device_issue_pending)(struct dma_chan *channel);
};
struct dma_chan {
	struct dma_device *device;
};
extern struct dma_chan *dma_request_chan(struct device *device, const char *name);
extern void dma_release_channel(struct dma_chan *channel);
