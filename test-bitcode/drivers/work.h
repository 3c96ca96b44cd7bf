// A work item (include/linux/workqueue.h of Linux 6.1).
#ifndef WORK_H
#define WORK_H

#include "kernel.h"

struct work_struct {
    unsigned long data;
    struct list_head entry;
    void (*func)(struct work_struct *);
};
extern _Bool queue_work_on(int cpu, void *queue, struct work_struct *work);
#endif
