// irkiss: --property deadlock ; expect: none
//
// As awaited_fails.c; whoever waits for a handler has given the lock back: a work item, a delayed one, a timer, a kernel thread, an interrupt.
#include "../drivers/part_linux.h"

struct delayed_work { struct work_struct work; struct timer_list timer; struct workqueue_struct *wq; int cpu; };
extern bool cancel_delayed_work_sync(struct delayed_work *work);
extern bool queue_delayed_work_on(int cpu, struct workqueue_struct *wq, struct delayed_work *work, unsigned long delay);
struct task_struct;
extern struct task_struct *kthread_create_on_node(int (*threadfn)(void *data), void *data, int node, const char *name, ...);
extern int wake_up_process(struct task_struct *task);
extern int kthread_stop(struct task_struct *task);
extern bool kthread_should_stop(void);

static DEFINE_MUTEX(work_lock);
static DEFINE_MUTEX(delayed_lock);
static DEFINE_MUTEX(thread_lock);
static DEFINE_SPINLOCK(timer_lock);
static DEFINE_SPINLOCK(irq_lock);
static struct work_struct work;
static struct delayed_work delayed;
static struct timer_list timer;
static struct task_struct *task;
static int worked, later, ticks, rounds, interrupts;

static void work_function(struct work_struct *work)
{
	mutex_lock(&work_lock);
	worked++;
	mutex_unlock(&work_lock);
}

static void delayed_function(struct work_struct *work)
{
	mutex_lock(&delayed_lock);
	later++;
	mutex_unlock(&delayed_lock);
}

static void timer_function(struct timer_list *timer)
{
	spin_lock(&timer_lock);
	ticks++;
	spin_unlock(&timer_lock);
}

static int thread_function(void *data)
{
	mutex_lock(&thread_lock);
	rounds++;
	mutex_unlock(&thread_lock);
	return 0;
}

static irqreturn_t irq_function(int irq, void *data)
{
	spin_lock(&irq_lock);
	interrupts++;
	spin_unlock(&irq_lock);
	return IRQ_HANDLED;
}

static ssize_t demo_read(struct file *file, char __user *buffer, size_t bytes, loff_t *position)
{
	mutex_lock(&work_lock);
	mutex_unlock(&work_lock);
	cancel_work_sync(&work);
	return 0;
}

static ssize_t demo_write(struct file *file, const char __user *buffer, size_t bytes, loff_t *position)
{
	mutex_lock(&delayed_lock);
	mutex_unlock(&delayed_lock);
	cancel_delayed_work_sync(&delayed);
	return 0;
}

static loff_t demo_llseek(struct file *file, loff_t offset, int whence)
{
	spin_lock_bh(&timer_lock);
	spin_unlock_bh(&timer_lock);
	del_timer_sync(&timer);
	return 0;
}

static long demo_ioctl(struct file *file, unsigned int command, unsigned long argument)
{
	mutex_lock(&thread_lock);
	mutex_unlock(&thread_lock);
	kthread_stop(task);
	return 0;
}

static int demo_mmap(struct file *file, struct vm_area_struct *area)
{
	disable_irq(7);
	return 0;
}

static const struct file_operations demo_fops = {
	.owner = THIS_MODULE, .read = demo_read, .write = demo_write, .llseek = demo_llseek, .unlocked_ioctl = demo_ioctl, .mmap = demo_mmap
};
static struct miscdevice demo_misc = { .minor = MISC_DYNAMIC_MINOR, .name = "demo", .fops = &demo_fops };

int init_module(void)
{
	int error;

	INIT_WORK(&work, work_function);
	INIT_WORK(&delayed.work, delayed_function);
	timer_setup(&timer, timer_function, 0);
	error = request_irq(7, irq_function, 0, "demo", &worked);
	if (error)
		return error;
	task = kthread_create_on_node(thread_function, NULL, -1, "demo");
	if (IS_ERR(task))
		return PTR_ERR(task);
	wake_up_process(task);
	schedule_work(&work);
	queue_delayed_work_on(64, system_wq, &delayed, HZ);
	mod_timer(&timer, jiffies + HZ);
	return misc_register(&demo_misc);
}
