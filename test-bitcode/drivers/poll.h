// NAPI of Linux 6.1: what it adds to a network device (layouts shortened).
#ifndef POLL_H
#define POLL_H

#include "net.h"

struct napi_struct {
    unsigned long state;
    int (*poll)(struct napi_struct *, int);
};
extern void netif_napi_add_weight(struct net_device *, struct napi_struct *, int (*)(struct napi_struct *, int), int);
extern void napi_enable(struct napi_struct *), napi_disable(struct napi_struct *), __napi_schedule(struct napi_struct *);
extern _Bool napi_schedule_prep(struct napi_struct *), napi_complete_done(struct napi_struct *, int);
static inline void netif_napi_add(struct net_device *device, struct napi_struct *napi, int (*poll)(struct napi_struct *, int))
{
    netif_napi_add_weight(device, napi, poll, 64);
}
#endif
