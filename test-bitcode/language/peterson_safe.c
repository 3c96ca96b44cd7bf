// irkiss: ; expect: none
// irkiss: --tier coverability --property race ; expect: none; by: coverability
//
// Peterson's algorithm on atomic variables excludes (sequential consistency is assumed).
#include <irkiss.h>

_Atomic int wants[2], turn;
int value;

static void enter(int me)
{
    wants[me] = 1;
    turn = 1 - me;
    irkiss_assume(!wants[1 - me] || turn == me);
}

static void worker(void *argument)
{
    (void)argument;
    enter(1);
    value++; // NORACE
    wants[1] = 0;
}

int main(void)
{
    irkiss_async(worker, 0);
    enter(0);
    value++; // NORACE
    wants[0] = 0;
    return 0;
}
