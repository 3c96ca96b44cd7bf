// irkiss: ; expect: none ; lazy: yes
//
// Timers, work, tasklets: what is armed is armed until it is taken back, and the functions say which it was.
#include "answers.h"

extern int timer_delete(struct timer_list *), timer_delete_sync(struct timer_list *), mod_timer_pending(struct timer_list *, unsigned long);
extern int timer_reduce(struct timer_list *, unsigned long), try_to_del_timer_sync(struct timer_list *), timer_shutdown_sync(struct timer_list *);
extern void add_timer(struct timer_list *), add_timer_on(struct timer_list *, int);
static struct timer_list timer;

static void ring(struct timer_list *t)
{
}

static void timers(void)
{
    timer_setup(&timer, ring, 0);
    CHECK(timer.function == ring);
    CHECK(!mod_timer_pending(&timer, 5));
    CHECK(!mod_timer(&timer, 5) && mod_timer(&timer, 5) && mod_timer_pending(&timer, 5));
    CHECK(del_timer(&timer) && !del_timer(&timer));
    add_timer(&timer);
    CHECK(timer_delete(&timer) && !timer_delete(&timer));
    add_timer_on(&timer, 1);
    CHECK(timer_delete_sync(&timer) && !timer_delete_sync(&timer));
    CHECK(!timer_reduce(&timer, 5) && timer_reduce(&timer, 5));
    CHECK(del_timer_sync(&timer) && !del_timer_sync(&timer));
    mod_timer(&timer, 5);
    CHECK(try_to_del_timer_sync(&timer) == 1 && try_to_del_timer_sync(&timer) == 0);
    mod_timer(&timer, 5);
    CHECK(timer_shutdown_sync(&timer) == 1 && timer_shutdown_sync(&timer) == 0);
    mod_timer(&timer, 5);
    timer_setup(&timer, ring, 0);
    CHECK(!del_timer(&timer));
}

struct work_struct {
    long data;
    struct list_head entry;
    void (*func)(struct work_struct *);
};
extern _Bool queue_work_on(int, void *, struct work_struct *), queue_delayed_work_on(int, void *, struct work_struct *, unsigned long);
extern _Bool mod_delayed_work_on(int, void *, struct work_struct *, unsigned long);
extern _Bool cancel_work(struct work_struct *), cancel_work_sync(struct work_struct *);
extern _Bool cancel_delayed_work(struct work_struct *), cancel_delayed_work_sync(struct work_struct *);
extern _Bool flush_work(struct work_struct *), flush_delayed_work(struct work_struct *);
static struct work_struct work;

static void task(struct work_struct *w)
{
}

static void works(void)
{
    work.func = task;
    CHECK(queue_work_on(0, NULL, &work) && !queue_work_on(0, NULL, &work));
    CHECK(cancel_work(&work) && !cancel_work(&work));
    CHECK(queue_delayed_work_on(0, NULL, &work, 5) && !queue_delayed_work_on(0, NULL, &work, 5));
    CHECK(cancel_work_sync(&work) && !cancel_work_sync(&work));
    CHECK(!mod_delayed_work_on(0, NULL, &work, 5) && mod_delayed_work_on(0, NULL, &work, 5));
    CHECK(cancel_delayed_work(&work) && !cancel_delayed_work(&work));
    queue_work_on(0, NULL, &work);
    CHECK(cancel_delayed_work_sync(&work) && !cancel_delayed_work_sync(&work));
}

struct hrtimer {
    unsigned long parent_color;
    void *right, *left;
    long long expires, softexpires;
    int (*function)(struct hrtimer *);
    void *base;
};
extern void hrtimer_init(struct hrtimer *, int, int), hrtimer_start_range_ns(struct hrtimer *, long long, unsigned long long, int);
extern int hrtimer_cancel(struct hrtimer *);
static struct hrtimer precise;

static int tick(struct hrtimer *t)
{
    return 0;
}

static void precise_timers(void)
{
    hrtimer_init(&precise, 0, 0);
    precise.function = tick;
    hrtimer_start_range_ns(&precise, 5, 0, 0);
    CHECK(hrtimer_cancel(&precise) && !hrtimer_cancel(&precise));
    hrtimer_start_range_ns(&precise, 5, 0, 0);
    hrtimer_init(&precise, 0, 0);
    CHECK(!hrtimer_cancel(&precise));
}

struct napi_struct {
    long data[16];
};
extern void netif_napi_add_weight(void *, struct napi_struct *, int (*)(struct napi_struct *, int), int);
extern void netif_napi_add_tx_weight(void *, struct napi_struct *, int (*)(struct napi_struct *, int), int);
extern void napi_enable(struct napi_struct *), napi_disable(struct napi_struct *), __napi_schedule(struct napi_struct *);
extern _Bool napi_schedule_prep(struct napi_struct *), napi_complete_done(struct napi_struct *, int);
static struct napi_struct napi;

static int poll(struct napi_struct *n, int budget)
{
    return 0;
}

static void polling(void)
{
    netif_napi_add_weight(NULL, &napi, poll, 64);
    napi_enable(&napi);
    CHECK(napi_schedule_prep(&napi));
    napi_complete_done(&napi, 1);
    // Who comes while it is scheduled is remembered: completing it makes another run, and only that one's end frees it.
    CHECK(napi_schedule_prep(&napi) && !napi_schedule_prep(&napi));
    CHECK(!napi_complete_done(&napi, 1));
    CHECK(!napi_schedule_prep(&napi));
    napi_complete_done(&napi, 1);
    napi_complete_done(&napi, 1);
    napi_disable(&napi);
    CHECK(!napi_schedule_prep(&napi));
    napi_enable(&napi);
    CHECK(napi_schedule_prep(&napi));
    // Who came while it was disabled, too.
    CHECK(!napi_complete_done(&napi, 1));
    napi_complete_done(&napi, 1);
    CHECK(napi_schedule_prep(&napi));
    napi_complete_done(&napi, 1);
    netif_napi_add_tx_weight(NULL, &napi, poll, 64);
    CHECK(!napi_schedule_prep(&napi));
}

static void answers(void)
{
    timers();
    works();
    precise_timers();
    polling();
}
