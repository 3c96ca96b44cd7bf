// irkiss: ; expect: race ; lazy: yes
//
// A library of the kernel is given a part of the driver's own struct, and a variable, to set up: what the driver reads there afterwards, and
// never sets, is not what it was before. Without that no execution gets past initialisation.
#include "part_linux.h"

struct sensor_bus { int speed; };
struct sensor_limits { unsigned int low, high; };
struct sensor { unsigned int flags; struct sensor_bus *bus; const struct sensor_limits *limits; };
struct sensor_setup { unsigned int lanes; unsigned long long *rates; unsigned int rate_count; };
extern int sensor_init(struct sensor *sensor, struct sensor_bus *bus);
extern int sensor_parse(const char *text, struct sensor_setup *setup);
struct sensor_args { struct sensor_bus *bus; int count; };
extern int sensor_find(const char *text, struct sensor_args *args);

struct demo { int users; struct sensor sensor; };
static struct demo demo;
static struct sensor_bus bus = { .speed = 3 };
static DEFINE_MUTEX(lock);
static int count;

static long demo_ioctl(struct file *file, unsigned int command, unsigned long argument)
{
	count++; // RACE
	return 0;
}

static const struct file_operations demo_fops = { .owner = THIS_MODULE, .unlocked_ioctl = demo_ioctl };
static struct miscdevice demo_misc = { .minor = MISC_DYNAMIC_MINOR, .name = "demo", .fops = &demo_fops };

int init_module(void)
{
	struct sensor_setup setup = { .lanes = 0 };
	struct sensor_args args;
	int error;

	error = sensor_init(&demo.sensor, &bus);
	if (error)
		return error;
	if (demo.sensor.bus->speed != 3 || demo.sensor.limits->low > demo.sensor.limits->high)
		return -EINVAL;
	error = sensor_parse("lanes", &setup);
	if (error)
		return error;
	if (setup.rate_count == 0 || setup.rates[0] != 560000000)
		return -EINVAL;
	if (sensor_find("bus", &args) || !args.bus || args.bus->speed != 5 || args.count != 1)
		return -EINVAL;
	return misc_register(&demo_misc);
}
