// irkiss: --tier kiss --ts 0 ; expect: none
// irkiss: --tier kiss --ts 1 ; expect: none
// irkiss: --tier kiss --ts 2 ; expect: none
// irkiss: --tier contexts --contexts 1 ; expect: none
// irkiss: --tier contexts --contexts 2 ; expect: assert
// irkiss: --tier contexts --contexts 2 --switches 2 ; expect: none
// irkiss: --tier contexts --contexts 2 --switches 3 ; expect: assert
// irkiss: --tier contexts --contexts 2 --rounds eager ; expect: assert
//
// Figure 4 of the STORM paper, with what the driver framework does: the cancellation routine is called once the request can be
// cancelled, and not any more when it has been completed. The read
// routine completes it all the same while the other is on its way.
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
    irkiss_assert(!completed); // ASSERT-FAILS
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
    complete(&request);
    /* SWITCH 3 */
    return 0;
}
