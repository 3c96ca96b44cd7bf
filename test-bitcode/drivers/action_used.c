// irkiss: ; expect: race ; lazy: yes
//
// As action_gone_unknown.c, but a packet hands it to RCU, too, while the action is there.
#include "part_linux.h"

struct sk_buff { unsigned int len; };
struct tcf_result;
struct rcu_head { struct rcu_head *next; void (*func)(struct rcu_head *head); };
struct tc_action { const struct tc_action_ops *ops; spinlock_t tcfa_lock; struct rcu_head rcu; struct timer_list timer; int entries; };
struct tc_action_ops {
	char kind[16];
	struct module *owner;
	int (*act)(struct sk_buff *, const struct tc_action *, struct tcf_result *);
	int (*dump)(struct sk_buff *, struct tc_action *, int, int);
	void (*cleanup)(struct tc_action *);
};
struct pernet_operations { int (*init)(void *net); };
extern int tcf_register_action(struct tc_action_ops *action, struct pernet_operations *ops);
extern void call_rcu(struct rcu_head *head, void (*func)(struct rcu_head *head));

static struct pernet_operations gate_net;

static int state;

static void gate_free(struct rcu_head *head);

static int gate_act(struct sk_buff *skb, const struct tc_action *action, struct tcf_result *result)
{
	call_rcu(&((struct tc_action *)action)->rcu, gate_free);
	return 0;
}

static int gate_dump(struct sk_buff *skb, struct tc_action *action, int bind, int ref)
{
	return state; // RACE
}

static void gate_free(struct rcu_head *head)
{
	state = -1; // RACE
}

static void gate_cleanup(struct tc_action *action)
{
	call_rcu(&action->rcu, gate_free);
}

static struct tc_action_ops gate_ops = {
	.kind = "gate", .owner = THIS_MODULE, .act = gate_act, .dump = gate_dump, .cleanup = gate_cleanup,
};

int init_module(void)
{
	return tcf_register_action(&gate_ops, &gate_net);
}
