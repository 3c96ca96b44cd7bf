// irkiss: --property removed ; expect: none
//
// As comedi_driver_fails.c, but module exit takes the driver off, which detaches every device.
#include "../drivers/kernel.h"

struct comedi_device;
struct comedi_driver {
    const char *driver_name;
    void *module;
    int (*attach)(struct comedi_device *, void *);
    void (*detach)(struct comedi_device *);
};
extern int comedi_driver_register(struct comedi_driver *driver);
extern void comedi_driver_unregister(struct comedi_driver *driver);

int attached;

static int board_attach(struct comedi_device *dev, void *it)
{
    WRITE_ONCE(attached, 1);
    return 0;
}

static void board_detach(struct comedi_device *dev)
{
    WRITE_ONCE(attached, 0);
}

static struct comedi_driver board_driver = { .driver_name = "board", .attach = board_attach, .detach = board_detach };

static int board_init(void)
{
    return comedi_driver_register(&board_driver);
}

static void board_exit(void)
{
    comedi_driver_unregister(&board_driver);
    WRITE_ONCE(attached, 2);
}

module_init(board_init)
module_exit(board_exit)
