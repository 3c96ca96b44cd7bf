// irkiss: ; expect: none ; lazy: yes
//
// A message on an SPI bus is sent from memory and received into memory, transfer by transfer. Here the lock is held.
#include "part_linux.h"

struct spi_transfer {
    const void *tx_buf;
    void *rx_buf;
    unsigned len;
    unsigned long speed;
    struct list_head transfer_list;
};
struct spi_message {
    struct list_head transfers;
    void *spi;
    int status;
};
extern int spi_sync(void *spi, struct spi_message *message);
extern int spi_sync_locked(void *spi, struct spi_message *message);
static void add(struct spi_message *message, struct spi_transfer *transfer)
{
    struct list_head *last = message->transfers.prev;

    transfer->transfer_list.next = &message->transfers;
    transfer->transfer_list.prev = last;
    last->next = &transfer->transfer_list;
    message->transfers.prev = &transfer->transfer_list;
}

struct part {
    struct mutex lock;
    unsigned char command[2], answer[4], last[2];
};
static struct part part;

static ssize_t part_show(struct device *dev, struct device_attribute *attr, char *buf)
{
    struct spi_transfer sent = { .tx_buf = part.command, .len = 2 }, received = { .rx_buf = part.answer, .len = 4 };
    struct spi_transfer third = { .tx_buf = part.last, .len = 2 };
    struct spi_message message = { .transfers = { &message.transfers, &message.transfers } };
    struct spi_message next = { .transfers = { &next.transfers, &next.transfers } };
    int error;

    mutex_lock(&part.lock);
    add(&message, &sent);
    add(&message, &received);
    add(&next, &third);
    error = spi_sync(NULL, &message);
    error |= spi_sync_locked(NULL, &next);
    mutex_unlock(&part.lock);
    return error;
}

static ssize_t part_store(struct device *dev, struct device_attribute *attr, const char *buf, size_t count)
{
    mutex_lock(&part.lock);
    part.command[0] = buf[0];
    part.answer[3] = buf[1];
    part.last[1] = buf[2];
    mutex_unlock(&part.lock);
    return count;
}

static struct device_attribute dev_attr_part = { { "part", 0644 }, part_show, part_store };
extern int device_create_file(struct device *dev, const struct device_attribute *attr);
extern void device_remove_file(struct device *dev, const struct device_attribute *attr);

static int part_probe(struct platform_device *pdev)
{
    mutex_init(&part.lock);
    return device_create_file(&pdev->dev, &dev_attr_part);
}

static int part_remove(struct platform_device *pdev)
{
    device_remove_file(&pdev->dev, &dev_attr_part);
    return 0;
}

static struct platform_driver part_driver = { .probe = part_probe, .remove = part_remove, .driver = { .name = "part" } };

int init_module(void)
{
    return platform_driver_register(&part_driver);
}

void cleanup_module(void)
{
    platform_driver_unregister(&part_driver);
}
