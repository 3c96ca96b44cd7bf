// irkiss: --tier kiss --ts 2 ; expect: none
// irkiss: --tier contexts --contexts 1 ; expect: none
// irkiss: --tier contexts --contexts 2 ; expect: assert
// irkiss: --tier contexts --contexts 2 --switches 2 ; expect: none
// irkiss: --tier contexts --contexts 2 --switches 3 ; expect: assert
// irkiss: --tier contexts --contexts 1 --rounds eager ; expect: none
// irkiss: --tier contexts --contexts 2 --rounds eager ; expect: assert
//
// A heap object goes to and fro; whoever has it counts. What is read through the pointer is what the other thread left.
#include <irkiss.h>
#include <stdlib.h>

struct parcel {
    int count;
};

struct parcel *_Atomic here, *_Atomic there;

static void pass(struct parcel *_Atomic *from, struct parcel *_Atomic *to)
{
    struct parcel *parcel = *from;

    if (!parcel)
        return;
    *from = 0;
    parcel->count++;
    *to = parcel;
}

static void worker(void *argument)
{
    struct parcel *last;

    (void)argument;
    pass(&here, &there);
    last = here;
    irkiss_assert(!last || last->count != 2); // ASSERT-FAILS
}

int main(void)
{
    struct parcel *parcel;

    irkiss_async(worker, 0);
    parcel = malloc(sizeof(*parcel));
    if (!parcel)
        return 1;
    parcel->count = 0;
    here = parcel;
    pass(&there, &here);
    return 0;
}
