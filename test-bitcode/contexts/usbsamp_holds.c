// irkiss: --tier contexts --contexts 1 ; expect: none
// irkiss: --tier contexts --contexts 2 ; expect: none
// irkiss: --tier contexts --contexts 5 ; expect: none
// irkiss: --tier contexts --contexts 2 --rounds eager ; expect: none
//
// Figure 4 of the STORM paper, with what the driver framework does: the cancellation routine is called once the request can be
// cancelled, and not any more when it has been completed. As it was
// mended: the read routine completes what it could take back.
#include <irkiss.h>

struct request {
    _Bool cancelable, cancelled, completed;
    int context;
};

struct request request;

static void mark_cancelable(struct request *r)
{
    __irkiss_atomic_begin();
    r->cancelable = 1;
    __irkiss_atomic_end();
}

/* Whether the request is the caller's own again: it is not if the cancellation routine has been called. */
static _Bool unmark_cancelable(struct request *r)
{
    _Bool own;

    __irkiss_atomic_begin();
    own = !r->cancelled;
    if (own)
        r->cancelable = 0;
    __irkiss_atomic_end();
    return own;
}

static void complete(struct request *r)
{
    __irkiss_atomic_begin();
    r->completed = 1;
    __irkiss_atomic_end();
}

static int get_request_context(struct request *r)
{
    _Bool completed;

    __irkiss_atomic_begin();
    completed = r->completed;
    __irkiss_atomic_end();
    irkiss_assert(!completed);
    return r->context;
}

/* The framework's thread. */
static void cancel(void *argument)
{
    struct request *r = argument;

    __irkiss_atomic_begin();
    __irkiss_assume(r->cancelable && !r->completed);
    r->cancelled = 1;
    __irkiss_atomic_end();
    /* SWITCH 2 */
    get_request_context(r);
}

int main(void)
{
    irkiss_async(cancel, &request);
    mark_cancelable(&request);
    /* SWITCH 1 */
    if (unmark_cancelable(&request))
        complete(&request);
    /* SWITCH 3 */
    return 0;
}
