// irkiss: ; expect: race
//
// A far jump leaves several activations.
#include <pthread.h>
#include <setjmp.h>

static int failed;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void parse(jmp_buf *back, int depth)
{
    if (depth == 0)
        longjmp(*back, 7);
    parse(back, depth - 1);
}

static void *worker(void *unused)
{
    jmp_buf back;
    int why = setjmp(back);
    if (why == 0) {
        parse(&back, 1);
    } else if (why == 7) {
        failed++; // RACE
    }
    return unused;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, worker, 0);
    pthread_create(&b, 0, worker, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
