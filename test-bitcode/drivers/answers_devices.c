// irkiss: ; expect: none ; lazy: yes
//
// Numbers, errors and pointers that functions of devices and buses answer.
#include "answers.h"

#define ZERO_OR(error, call) \
    { \
        int result = call; \
        CHECK(result == 0 || result == -(error)); \
    }
#define AT_MOST(limit, call) \
    { \
        long result = call; \
        CHECK(result < 0 ? result >= -4095 : result <= (limit)); \
    }

extern int i2c_smbus_read_byte(const void *), i2c_smbus_read_byte_data(const void *, unsigned char);
extern int i2c_smbus_read_word_data(const void *, unsigned char), i2c_smbus_write_byte(const void *, unsigned char);
extern int i2c_smbus_write_byte_data(const void *, unsigned char, unsigned char);
extern int i2c_smbus_write_word_data(const void *, unsigned char, unsigned short);
extern int i2c_smbus_read_i2c_block_data(const void *, unsigned char, unsigned char, unsigned char *);
extern int i2c_smbus_write_i2c_block_data(const void *, unsigned char, unsigned char, const unsigned char *);
extern int i2c_transfer_buffer_flags(const void *, char *, int, unsigned short);
extern int i2c_register_driver(void *, void *), i2c_smbus_xfer(void *, unsigned short, unsigned short, char, unsigned char, int, void *);
struct i2c_msg {
    unsigned short addr, flags, len;
    unsigned char *buf;
};
extern int i2c_transfer(void *, struct i2c_msg *, int), __i2c_transfer(void *, struct i2c_msg *, int);

static void i2c(void)
{
    unsigned char data[4] = { 0 };
    struct i2c_msg message = { 1, 0, 4, data };
    AT_MOST(0xff, i2c_smbus_read_byte(NULL))
    AT_MOST(0xff, i2c_smbus_read_byte_data(NULL, 0))
    AT_MOST(0xffff, i2c_smbus_read_word_data(NULL, 0))
    AT_MOST(4, i2c_smbus_read_i2c_block_data(NULL, 0, 4, data))
    AT_MOST(4, i2c_transfer_buffer_flags(NULL, (char *)data, 4, 0))
    AT_MOST(1, i2c_transfer(NULL, &message, 1))
    AT_MOST(1, __i2c_transfer(NULL, &message, 1))
    ZERO_OR(EIO, i2c_smbus_write_byte(NULL, 0))
    ZERO_OR(EIO, i2c_smbus_write_byte_data(NULL, 0, 0))
    ZERO_OR(EIO, i2c_smbus_write_word_data(NULL, 0, 0))
    ZERO_OR(EIO, i2c_smbus_write_i2c_block_data(NULL, 0, 4, data))
    ZERO_OR(EIO, i2c_smbus_xfer(NULL, 0, 0, 0, 0, 0, NULL))
    ZERO_OR(EBUSY, i2c_register_driver(NULL, NULL))
}

extern int regmap_read(void *, unsigned int, unsigned int *), regmap_bulk_read(void *, unsigned int, void *, size_t);
extern int regmap_raw_read(void *, unsigned int, void *, size_t), regmap_raw_write(void *, unsigned int, const void *, size_t);
extern int regmap_noinc_read(void *, unsigned int, void *, size_t), regmap_bulk_write(void *, unsigned int, const void *, size_t);
extern int regmap_field_read(void *, unsigned int *), regmap_fields_read(void *, unsigned int, unsigned int *);
extern int regmap_update_bits_base(void *, unsigned int, unsigned int, unsigned int, _Bool *, _Bool, _Bool);
extern int regmap_field_update_bits_base(void *, unsigned int, unsigned int, _Bool *, _Bool, _Bool);
extern int regmap_fields_update_bits_base(void *, unsigned int, unsigned int, unsigned int, _Bool *, _Bool, _Bool);
extern int spi_write_then_read(void *, const void *, unsigned int, void *, unsigned int), ec_read(unsigned char, unsigned char *);
extern int hid_hw_raw_request(void *, unsigned char, unsigned char *, size_t, int, int), hid_hw_output_report(void *, unsigned char *, size_t);
extern int pci_read_config_byte(const void *, int, unsigned char *), pci_read_config_word(const void *, int, unsigned short *);
extern int pci_read_config_dword(const void *, int, unsigned int *), pcie_capability_read_word(void *, int, unsigned short *);
extern int pcie_capability_read_dword(void *, int, unsigned int *), pci_enable_device(void *), pci_request_regions(void *, const char *);
extern int rio_mport_read_config_32(void *, unsigned short, unsigned char, unsigned int, unsigned int *);
extern int of_property_read_variable_u8_array(const void *, const char *, unsigned char *, size_t, size_t);
extern int of_property_read_variable_u16_array(const void *, const char *, unsigned short *, size_t, size_t);
extern int of_property_read_variable_u32_array(const void *, const char *, unsigned int *, size_t, size_t);
extern int of_property_read_variable_u64_array(const void *, const char *, unsigned long *, size_t, size_t);
extern int of_property_read_u64(const void *, const char *, unsigned long *);
extern int device_property_read_u8_array(const void *, const char *, unsigned char *, size_t);
extern int device_property_read_u16_array(const void *, const char *, unsigned short *, size_t);
extern int device_property_read_u32_array(const void *, const char *, unsigned int *, size_t);
extern int device_property_read_u64_array(const void *, const char *, unsigned long *, size_t);
extern int fwnode_property_read_u8_array(const void *, const char *, unsigned char *, size_t);
extern int fwnode_property_read_u16_array(const void *, const char *, unsigned short *, size_t);
extern int fwnode_property_read_u32_array(const void *, const char *, unsigned int *, size_t);
extern int fwnode_property_read_u64_array(const void *, const char *, unsigned long *, size_t);

static void buses(void)
{
    unsigned char byte;
    unsigned short half;
    unsigned int word = 5;
    unsigned long wide;
    int result = regmap_read(NULL, 0, &word);
    CHECK(result == 0 || (result == -EIO && word == 5));
    ZERO_OR(EIO, regmap_bulk_read(NULL, 0, &word, 4))
    ZERO_OR(EIO, regmap_raw_read(NULL, 0, &word, 4))
    ZERO_OR(EIO, regmap_raw_write(NULL, 0, &word, 4))
    ZERO_OR(EIO, regmap_noinc_read(NULL, 0, &word, 4))
    ZERO_OR(EIO, regmap_bulk_write(NULL, 0, &word, 4))
    ZERO_OR(EIO, regmap_field_read(NULL, &word))
    ZERO_OR(EIO, regmap_fields_read(NULL, 0, &word))
    ZERO_OR(EIO, regmap_update_bits_base(NULL, 0, 1, 1, NULL, 0, 0))
    ZERO_OR(EIO, regmap_field_update_bits_base(NULL, 1, 1, NULL, 0, 0))
    ZERO_OR(EIO, regmap_fields_update_bits_base(NULL, 0, 1, 1, NULL, 0, 0))
    ZERO_OR(EIO, spi_write_then_read(NULL, &word, 4, &word, 4))
    ZERO_OR(19, ec_read(0, &byte))
    AT_MOST(4, hid_hw_raw_request(NULL, 0, (void *)&word, 4, 0, 0))
    AT_MOST(4, hid_hw_output_report(NULL, (void *)&word, 4))
    ZERO_OR(19, pci_read_config_byte(NULL, 0, &byte))
    ZERO_OR(19, pci_read_config_word(NULL, 0, &half))
    ZERO_OR(19, pci_read_config_dword(NULL, 0, &word))
    ZERO_OR(19, pcie_capability_read_word(NULL, 0, &half))
    ZERO_OR(19, pcie_capability_read_dword(NULL, 0, &word))
    ZERO_OR(EIO, pci_enable_device(NULL))
    ZERO_OR(EBUSY, pci_request_regions(NULL, ""))
    ZERO_OR(EIO, rio_mport_read_config_32(NULL, 0, 0, 0, &word))
    AT_MOST(1, of_property_read_variable_u32_array(NULL, "", &word, 1, 0))
    AT_MOST(1, of_property_read_variable_u8_array(NULL, "", &byte, 1, 0))
    AT_MOST(1, of_property_read_variable_u16_array(NULL, "", &half, 1, 0))
    AT_MOST(1, of_property_read_variable_u64_array(NULL, "", &wide, 1, 0))
    ZERO_OR(EINVAL, of_property_read_u64(NULL, "", &wide))
    ZERO_OR(EINVAL, device_property_read_u8_array(NULL, "", &byte, 1))
    ZERO_OR(EINVAL, device_property_read_u16_array(NULL, "", &half, 1))
    ZERO_OR(EINVAL, device_property_read_u32_array(NULL, "", &word, 1))
    ZERO_OR(EINVAL, device_property_read_u64_array(NULL, "", &wide, 1))
    ZERO_OR(EINVAL, fwnode_property_read_u8_array(NULL, "", &byte, 1))
    ZERO_OR(EINVAL, fwnode_property_read_u16_array(NULL, "", &half, 1))
    ZERO_OR(EINVAL, fwnode_property_read_u32_array(NULL, "", &word, 1))
    ZERO_OR(EINVAL, fwnode_property_read_u64_array(NULL, "", &wide, 1))
    AT_MOST(1, of_property_read_variable_u32_array(NULL, "", &word, 1, 1))
}

extern int usb_control_msg(void *, unsigned int, unsigned char, unsigned char, unsigned short, unsigned short, void *, unsigned short, int);
extern int usb_control_msg_recv(void *, unsigned char, unsigned char, unsigned char, unsigned short, unsigned short, void *, unsigned short, int, unsigned int);
extern int usb_control_msg_send(void *, unsigned char, unsigned char, unsigned char, unsigned short, unsigned short, const void *, unsigned short, int, unsigned int);
extern int usb_bulk_msg(void *, unsigned int, void *, int, int *, int), usb_interrupt_msg(void *, unsigned int, void *, int, int *, int);
extern int usb_get_descriptor(void *, unsigned char, unsigned char, void *, int), usb_string(void *, int, char *, size_t);
extern int usb_set_interface(void *, int, int), usb_clear_halt(void *, int), usb_autopm_get_interface(void *);
extern int usb_autopm_get_interface_async(void *), usb_register_dev(void *, void *);
extern int usb_find_common_endpoints(void *, void **, void **, void **, void **);
extern int usb_find_common_endpoints_reverse(void *, void **, void **, void **, void **);
extern void *usb_get_dev(void *), *usb_get_intf(void *), *usb_get_urb(void *), *get_device(void *);
extern int usb_unlink_urb(void *), cdc_parse_cdc_header(void *, void *, unsigned char *, int);

static void usb(void)
{
    int data, moved = 9;
    void *in = NULL;
    unsigned char descriptors[64];
    struct {
        unsigned char *descriptors[14];
        _Bool phonet;
    } header;
    AT_MOST(4, usb_control_msg(NULL, 0x80, 0, 0, 0, 0, &data, 4, 0))
    ZERO_OR(32, usb_control_msg_recv(NULL, 0, 0, 0, 0, 0, &data, 4, 0, 0))
    ZERO_OR(32, usb_control_msg_send(NULL, 0, 0, 0, 0, 0, &data, 4, 0, 0))
    ZERO_OR(32, usb_bulk_msg(NULL, 0x80, &data, 4, &moved, 0))
    CHECK(moved >= 0 && moved <= 4);
    moved = 9;
    ZERO_OR(32, usb_interrupt_msg(NULL, 0x80, &data, 4, &moved, 0))
    CHECK(moved >= 0 && moved <= 4);
    AT_MOST(4, usb_get_descriptor(NULL, 0, 0, &data, 4))
    AT_MOST(4, usb_string(NULL, 0, (char *)&data, 4))
    ZERO_OR(32, usb_set_interface(NULL, 0, 0))
    ZERO_OR(32, usb_clear_halt(NULL, 0))
    ZERO_OR(EIO, usb_autopm_get_interface(NULL))
    ZERO_OR(EIO, usb_autopm_get_interface_async(NULL))
    if (!usb_find_common_endpoints(NULL, &in, NULL, NULL, NULL))
        CHECK(in);
    in = NULL;
    if (!usb_find_common_endpoints_reverse(NULL, NULL, NULL, NULL, &in))
        CHECK(in);
    CHECK(usb_get_dev(&data) == &data && usb_get_intf(&data) == &data && usb_get_urb(&data) == &data && get_device(&data) == &data);
    CHECK(usb_unlink_urb(&data) < 0);
    AT_MOST(14, cdc_parse_cdc_header(&header, NULL, descriptors, 64))
    CHECK(!header.descriptors[0] || header.descriptors[0] >= descriptors);
    AT_MOST(0, cdc_parse_cdc_header(&header, NULL, descriptors, 0))
    CHECK(!header.descriptors[13] && !header.phonet);
}

extern int register_chrdev_region(unsigned int, unsigned int, const char *), alloc_chrdev_region(unsigned int *, unsigned int, unsigned int, const char *);
extern int __register_chrdev(unsigned int, unsigned int, unsigned int, const char *, const void *);
extern int cdev_add(void *, unsigned int, unsigned int), cdev_device_add(void *, void *);
extern int device_create_file(void *, const void *), driver_create_file(void *, const void *), dev_set_name(void *, const char *, ...);
extern void *__class_create(void *, const char *, void *), *class_create(const char *), *device_create(const void *, void *, unsigned int, void *, const char *, ...);
extern int __class_register(void *, void *), platform_device_add(void *), platform_device_register(void *), __platform_driver_register(void *, void *);
extern void *platform_device_register_full(const void *);
extern int __pci_register_driver(void *, void *, const char *), usb_register_driver(void *, void *, const char *);
extern int register_reboot_notifier(void *), unregister_reboot_notifier(void *), devm_register_reboot_notifier(void *, void *);
extern int xillybus_find_inode(void *, void **, int *);
static char class_driver[32], cdev[64];

static void registrations(void)
{
    unsigned int number = 5;
    void *first = NULL, *second = NULL;
    int result, node = 3;
    if (!xillybus_find_inode(NULL, &first, &node) && !xillybus_find_inode(NULL, &second, &node))
        CHECK(first && first == second && node == 0);
    ZERO_OR(EBUSY, register_chrdev_region(1, 1, ""))
    result = alloc_chrdev_region(&number, 3, 1, "");
    CHECK(result ? result == -EBUSY : (number & 0xfffff) == 3);
    ZERO_OR(EBUSY, cdev_add(cdev, 0, 1))
    ZERO_OR(EBUSY, cdev_device_add(cdev, NULL))
    result = __register_chrdev(0, 0, 1, "", NULL);
    CHECK(result == -EBUSY || (result > 0 && result < 512));
    ZERO_OR(ENOMEM, dev_set_name(NULL, ""))
    ZERO_OR(ENOMEM, __class_register(NULL, NULL))
    ZERO_OR(ENOMEM, platform_device_add(NULL))
    ZERO_OR(ENOMEM, platform_device_register(NULL))
    ZERO_OR(EBUSY, __platform_driver_register(NULL, NULL))
    ZERO_OR(EBUSY, __pci_register_driver(NULL, NULL, ""))
    CHECK(__class_create(NULL, "", NULL) && class_create("") && device_create(NULL, NULL, 0, NULL, "") && platform_device_register_full(NULL));
}

extern long schedule_timeout(long), schedule_timeout_interruptible(long), schedule_timeout_uninterruptible(long);
extern int nonseekable_open(void *, void *), stream_open(void *, void *), fasync_helper(int, void *, int, void **);
extern long long no_llseek(void *, long long, int), noop_llseek(void *, long long, int), default_llseek(void *, long long, int);
extern long long generic_file_llseek_size(void *, long long, int, long long, long long), fixed_size_llseek(void *, long long, int, long long);
extern ssize_t simple_read_from_buffer(void *, size_t, long long *, const void *, size_t);
extern ssize_t simple_write_to_buffer(void *, size_t, long long *, const void *, size_t);
extern unsigned long _copy_from_user(void *, const void *, unsigned long), clear_user(void *, unsigned long), __clear_user(void *, unsigned long);
extern unsigned long _inline_copy_to_user(void *, const void *, unsigned long), _inline_copy_from_user(void *, const void *, unsigned long);
extern long strncpy_from_user(char *, const char *, long);
extern int kstrtobool(const char *, _Bool *), kstrtoint(const char *, unsigned int, int *);
extern int request_firmware(void **, const char *, void *), request_firmware_direct(void **, const char *, void *);
extern int firmware_request_nowarn(void **, const char *, void *);
extern long prepare_to_wait_event(void *, void *, int);
extern int out_of_line_wait_on_bit(void *, int, void *, unsigned int), out_of_line_wait_on_bit_timeout(void *, int, void *, unsigned int, unsigned long);
extern size_t _copy_from_iter(void *, size_t, void *), _copy_to_iter(const void *, size_t, void *);
extern int nla_memcpy(void *, const void *, int), nla_put(void *, int, int, const void *);
extern int __nla_parse(void **, int, const void *, int, const void *, unsigned int, void *), rtnl_nla_parse_ifinfomsg(void **, const void *, void *);

extern unsigned int ioread8(const void *), ioread16(const void *);
extern unsigned long msleep_interruptible(unsigned int);
extern int ___ratelimit(void *, const char *), wake_up_process(void *);
extern void *platform_device_alloc(const char *, int), *platform_get_resource(void *, unsigned int, unsigned int);
extern size_t __tty_insert_flip_string_flags(void *, const unsigned char *, const unsigned char *, _Bool, size_t);

static void files_and_waits(void)
{
    char buffer[4] = { 0 };
    long long at = 1;
    unsigned long bits = 5;
    void *firmware = NULL, *attributes[2], *link[63];
    CHECK(ioread8(NULL) <= 0xff && ioread16(NULL) <= 0xffff && msleep_interruptible(5) <= 0xffffffff);
    CHECK(___ratelimit(NULL, "") <= 1u && wake_up_process(NULL) <= 1u);
    CHECK(!IS_ERR(platform_device_alloc("", 0)) && !IS_ERR(platform_get_resource(NULL, 0, 0)));
    CHECK(__tty_insert_flip_string_flags(NULL, (void *)buffer, (void *)buffer, 0, 4) <= 4);
    AT_MOST(5, schedule_timeout(5))
    CHECK(schedule_timeout(5) >= 0 && schedule_timeout_interruptible(5) >= 0 && schedule_timeout_uninterruptible(5) >= 0);
    CHECK(!nonseekable_open(NULL, NULL) && !stream_open(NULL, NULL));
    ZERO_OR(ENOMEM, fasync_helper(0, NULL, 0, NULL))
    CHECK(no_llseek(NULL, 0, 0) == -29 && noop_llseek(NULL, 0, 0) >= 0);
    CHECK(default_llseek(NULL, 0, 0) >= -EINVAL && generic_file_llseek_size(NULL, 0, 0, 0, 0) >= -EINVAL && fixed_size_llseek(NULL, 0, 0, 0) >= -EINVAL);
    CHECK(simple_read_from_buffer(NULL, 9, &at, buffer, 4) > 0 ? at == 4 : at == 1);
    at = 1;
    CHECK(simple_write_to_buffer(buffer, 4, &at, NULL, 2) > 0 ? at == 3 : at == 1);
    CHECK(_copy_from_user(buffer, NULL, 4) <= 4 && clear_user(NULL, 4) <= 4 && __clear_user(NULL, 4) <= 4);
    CHECK(_copy_to_user(NULL, buffer, 4) <= 4 && _inline_copy_to_user(NULL, buffer, 4) <= 4 && _inline_copy_from_user(buffer, NULL, 4) <= 4);
    AT_MOST(3, strncpy_from_user(buffer, NULL, 4))
    CHECK(request_firmware(&firmware, "", NULL) ? !firmware : !!firmware);
    CHECK(request_firmware_direct(&firmware, "", NULL) ? !firmware : !!firmware);
    CHECK(firmware_request_nowarn(&firmware, "", NULL) ? !firmware : !!firmware);
    ZERO_OR(512, prepare_to_wait_event(NULL, NULL, 0))
    // Bit 0 is set, and nobody clears it: only a signal ends that.
    CHECK(out_of_line_wait_on_bit(&bits, 0, NULL, 0) == -EINTR && out_of_line_wait_on_bit_timeout(&bits, 0, NULL, 0, 5) < 0);
    AT_MOST(4, _copy_from_iter(buffer, 4, NULL))
    AT_MOST(4, _copy_to_iter(buffer, 4, NULL))
    CHECK(nla_memcpy(buffer, NULL, 4) == 4);
    CHECK(__nla_parse(attributes, 1, NULL, 0, NULL, 0, NULL) <= 0 && !IS_ERR(attributes[0]) && !IS_ERR(attributes[1]));
    CHECK(rtnl_nla_parse_ifinfomsg(link, NULL, NULL) <= 0 && !IS_ERR(link[0]) && !IS_ERR(link[62]));
    ZERO_OR(90, nla_put(NULL, 0, 4, buffer))
}

// Filled in, cleared but for the operations.
struct blk_mq_tag_set {
    const void *ops;
    unsigned int depth;
    void *driver_data;
};
static struct blk_mq_tag_set tags = { .depth = 5, .driver_data = &tags };
extern int blk_mq_alloc_sq_tag_set(struct blk_mq_tag_set *, const void *, unsigned int, unsigned int);
extern int class_register(const void *);

static void disks(void)
{
    ZERO_OR(ENOMEM, blk_mq_alloc_sq_tag_set(&tags, &demo_fops, 2, 0))
    CHECK(tags.ops == &demo_fops && !tags.driver_data);
    ZERO_OR(ENOMEM, class_register(NULL))
}

static void answers(void)
{
    disks();
    i2c();
    buses();
    usb();
    registrations();
    files_and_waits();
}
