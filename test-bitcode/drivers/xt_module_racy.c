// irkiss: ; expect: race
//
// A match that does not name its module: a rule of a user may use it while module exit runs.
#include "kernel.h"

struct sk_buff;
struct xt_action_param;
struct xt_mtchk_param;
struct xt_match {
    struct list_head list;
    const char name[29];
    unsigned char revision;
    _Bool (*match)(const struct sk_buff *skb, struct xt_action_param *par);
    int (*checkentry)(const struct xt_mtchk_param *par);
    struct module *me;
};
extern int xt_register_match(struct xt_match *match);
extern void xt_unregister_match(struct xt_match *match);

int seen;

static _Bool count_match(const struct sk_buff *skb, struct xt_action_param *par)
{
    WRITE_ONCE(seen, 1); // RACE
    return 1;
}

static int count_check(const struct xt_mtchk_param *par)
{
    return 0;
}

static struct xt_match count = { .name = "count", .match = count_match, .checkentry = count_check };

static int count_init(void)
{
    return xt_register_match(&count);
}

static void count_exit(void)
{
    seen = 0; // RACE
    xt_unregister_match(&count);
}

module_init(count_init)
module_exit(count_exit)
