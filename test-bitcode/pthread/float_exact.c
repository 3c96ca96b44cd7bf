// irkiss: ; expect: none ; forms: nopass
//
// What IEEE 754 says exactly is computed. It also runs natively (tests/oracle.rs).
#include <assert.h>
#include <math.h>
#include <pthread.h>

static double x = 9, y = 2.5;
static float z = 2.25f;

static void *work(void *argument)
{
    assert(sqrt(x) == 3 && sqrtf(z) == 1.5f);
    assert(fdim(x, y) == 6.5 && fdim(y, x) == 0 && fdimf(z, 1) == 1.25f);
    assert(lround(y) == 3 && lroundf(z) == 2 && llround(-y) == -3 && llroundf(-z) == -2);
    assert(lrint(y) == 2 && lrintf(z) == 2 && llrint(-y) == -2 && llrintf(-z) == -2);
    return argument;
}

int main(void)
{
    pthread_t a;

    pthread_create(&a, 0, work, 0);
    pthread_join(a, 0);
    return 0;
}
