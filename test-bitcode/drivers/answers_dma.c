// irkiss: ; expect: none ; lazy: yes
//
// What is prepared on a channel is a transfer of that channel, or nothing; one that is submitted has a cookie. Transfers can be ended.
#include "answers.h"
#include "dma.h"

extern struct dma_chan *channel_of_the_kernel(void);

static void answers(void)
{
	struct dma_chan *channel = channel_of_the_kernel();
	struct dma_async_tx_descriptor *transfer;
	if (!channel)
		return;
	transfer = channel->device->device_prep_slave_sg(channel, NULL, 1, 1, 0, NULL);
	if (transfer)
		CHECK(transfer->chan == channel);
	transfer = channel->device->device_prep_dma_memcpy(channel, 0, 0, 64, 0);
	if (transfer)
		CHECK(transfer->chan == channel);
	transfer = channel->device->device_prep_interleaved_dma(channel, NULL, 0);
	if (transfer)
		CHECK(transfer->chan == channel);
	transfer = channel->device->device_prep_dma_cyclic(channel, 0, 64, 64, 1, 0);
	if (transfer) {
		CHECK(transfer->chan == channel);
		CHECK(transfer->tx_submit(transfer) > 0);
		CHECK(channel->device->device_terminate_all(channel) == 0);
	}
}
