// irkiss: ; expect: none
//
// A pointer to one of some objects, or into an array by an index: however far the index leads out of the array, it is none of the
// others.
#include <irkiss.h>

int a, b, c, d, e, f;
int numbers[4];

static void worker(void *argument)
{
    (void)argument;
    b = 1;
}

int main(void)
{
    unsigned which = __irkiss_nondet_u32();
    unsigned long long index = __irkiss_nondet_u64();
    int *place;

    switch (which) {
    case 0: place = &a; break;
    case 1: place = &b; break;
    case 2: place = &c; break;
    case 3: place = &d; break;
    case 4: place = &e; break;
    case 5: place = &f; break;
    default: place = numbers + index;
    }
    irkiss_assume(which > 5);
    irkiss_async(worker, 0);
    *place = 2;
    return 0;
}
