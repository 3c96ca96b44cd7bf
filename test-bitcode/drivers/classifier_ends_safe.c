// irkiss: --property uaf ; expect: none ; lazy: yes
//
// Packets that found the classifier before it was taken off its chain are waited for; no others find it.
#include "part_linux.h"

struct rcu_head { struct rcu_head *next; void (*func)(struct rcu_head *head); };
extern void kvfree_call_rcu(struct rcu_head *head, void (*func)(struct rcu_head *head));
struct sk_buff;
struct tcf_result;
struct netlink_ext_ack;
struct tcf_proto { struct tcf_proto *next; void *root; };
struct tcf_proto_ops {
	struct list_head head;
	char kind[16];
	int (*classify)(struct sk_buff *, const struct tcf_proto *, struct tcf_result *);
	int (*init)(struct tcf_proto *);
	void (*destroy)(struct tcf_proto *, bool, struct netlink_ext_ack *);
	struct module *owner;
};
extern int register_tcf_proto_ops(struct tcf_proto_ops *ops);

struct head {
	int class;
	struct rcu_head rcu;
};

static int some_classify(struct sk_buff *skb, const struct tcf_proto *tp, struct tcf_result *result)
{
	const struct head *head = READ_ONCE(tp->root);

	return READ_ONCE(head->class);
}

static int some_init(struct tcf_proto *tp)
{
	struct head *head = kzalloc(sizeof(*head), GFP_KERNEL);

	if (!head)
		return -ENOMEM;
	WRITE_ONCE(tp->root, head);
	return 0;
}

static void some_destroy(struct tcf_proto *tp, bool rtnl_held, struct netlink_ext_ack *extack)
{
	struct head *head = tp->root;

	kvfree_call_rcu(&head->rcu, (void (*)(struct rcu_head *))offsetof(struct head, rcu));
}

static struct tcf_proto_ops some_ops = {
	.kind = "some", .classify = some_classify, .init = some_init, .destroy = some_destroy, .owner = THIS_MODULE,
};

int init_module(void)
{
	return register_tcf_proto_ops(&some_ops);
}
