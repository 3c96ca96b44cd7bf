// irkiss: --pair book_ioctl,book_fault ; expect: none ; lazy: yes
//
// mmap leaves the open file's object in the mapping; a page fault finds it there and looks at the size under the lock under which an ioctl of the same file sets.
#include "part_linux.h"

struct page;
struct vm_area_struct;
struct vm_fault { struct vm_area_struct *vma; gfp_t gfp_mask; unsigned long pgoff, address; struct page *page; };
struct vm_operations_struct { void (*open)(struct vm_area_struct *); void (*close)(struct vm_area_struct *); unsigned int (*fault)(struct vm_fault *); };
struct vm_area_struct { unsigned long vm_start, vm_end, vm_flags; const struct vm_operations_struct *vm_ops; unsigned long vm_pgoff; struct file *vm_file; void *vm_private_data; };

struct book { struct mutex lock; unsigned long pages; };

static unsigned int book_fault(struct vm_fault *vmf)
{
	struct book *book = vmf->vma->vm_private_data;
	unsigned int answer = 0;

	mutex_lock(&book->lock);
	if (vmf->pgoff >= book->pages)
		answer = 2;
	mutex_unlock(&book->lock);
	return answer;
}

static const struct vm_operations_struct book_vm_ops = { .fault = book_fault };

static int book_mmap(struct file *file, struct vm_area_struct *vma)
{
	vma->vm_ops = &book_vm_ops;
	vma->vm_private_data = file->private_data;
	return 0;
}

static long book_ioctl(struct file *file, unsigned int command, unsigned long pages)
{
	struct book *book = file->private_data;

	mutex_lock(&book->lock);
	book->pages = pages;
	mutex_unlock(&book->lock);
	return 0;
}

static int book_open(struct inode *inode, struct file *file)
{
	struct book *book = kzalloc(sizeof(*book), GFP_KERNEL);

	if (!book)
		return -ENOMEM;
	mutex_init(&book->lock);
	file->private_data = book;
	return 0;
}

static int book_release(struct inode *inode, struct file *file)
{
	kfree(file->private_data);
	return 0;
}

static const struct file_operations book_fops = { .owner = THIS_MODULE, .unlocked_ioctl = book_ioctl, .mmap = book_mmap, .open = book_open, .release = book_release };
static struct miscdevice book_misc = { .minor = MISC_DYNAMIC_MINOR, .name = "book", .fops = &book_fops };

int init_module(void)
{
	return misc_register(&book_misc);
}

void cleanup_module(void)
{
	misc_deregister(&book_misc);
}
