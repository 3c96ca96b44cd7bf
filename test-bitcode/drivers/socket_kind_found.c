// irkiss: ; expect: race ; lazy: yes
//
// As socket_kinds_unknown.c; packets are sent by several threads at once, and connect is beside sendmsg of its own kind.
#include "kernel.h"

struct net;
struct socket {
    short state;
    void *sk;
    const struct proto_ops *ops;
};
struct msghdr;
struct proto_ops {
    int family;
    struct module *owner;
    int (*release)(struct socket *);
    int (*connect)(struct socket *, void *, int, int);
    int (*sendmsg)(struct socket *, struct msghdr *, size_t);
    int (*recvmsg)(struct socket *, struct msghdr *, size_t, int);
};
struct net_proto_family {
    int family;
    int (*create)(struct net *, struct socket *, int, int);
    struct module *owner;
};
extern int sock_register(const struct net_proto_family *family);

static int demo_release(struct socket *sock)
{
    sock->sk = NULL; // NORACE
    return 0;
}

static int stream_sendmsg(struct socket *sock, struct msghdr *message, size_t size)
{
    return sock->sk != NULL; // RACE
}

static int packet_sendmsg(struct socket *sock, struct msghdr *message, size_t size)
{
    sock->state = sock->sk != NULL; // RACE
    return 0;
}

static int stream_connect(struct socket *sock, void *address, int length, int flags)
{
    sock->sk = address; // RACE
    return 0;
}

static const struct proto_ops stream_ops = { .family = 37, .owner = THIS_MODULE, .release = demo_release, .sendmsg = stream_sendmsg, .connect = stream_connect };
static const struct proto_ops packet_ops = { .family = 37, .owner = THIS_MODULE, .release = demo_release, .sendmsg = packet_sendmsg };

static int demo_create(struct net *net, struct socket *sock, int protocol, int kern)
{
    sock->sk = sock;
    sock->ops = protocol ? &stream_ops : &packet_ops;
    return 0;
}
static const struct net_proto_family family = { .family = 37, .create = demo_create, .owner = THIS_MODULE };

static int demo_init(void)
{
    return sock_register(&family);
}

module_init(demo_init)
