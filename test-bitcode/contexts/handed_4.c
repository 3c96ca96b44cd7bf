// irkiss: --tier kiss --ts 2 ; expect: none ; forms: nopass
// irkiss: --tier contexts --contexts 3 ; expect: none ; forms: nopass
// irkiss: --tier contexts --contexts 4 ; expect: assert ; forms: nopass
// irkiss: --tier contexts --contexts 4 --switches 6 ; expect: none ; forms: nopass
// irkiss: --tier contexts --contexts 4 --switches 7 ; expect: assert ; forms: nopass
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
    pass(&here, &there);
    pass(&here, &there);
    last = here;
    irkiss_assert(!last || last->count != 6); // ASSERT-FAILS
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
    pass(&there, &here);
    pass(&there, &here);
    return 0;
}
