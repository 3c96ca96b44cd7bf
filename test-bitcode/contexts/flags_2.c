// irkiss: --tier kiss --ts 2 ; expect: none
// irkiss: --tier contexts --contexts 1 ; expect: none
// irkiss: --tier contexts --contexts 2 ; expect: assert
// irkiss: --tier contexts --contexts 2 --switches 2 ; expect: none
// irkiss: --tier contexts --contexts 2 --switches 3 ; expect: assert
// irkiss: --tier contexts --contexts 1 --rounds eager ; expect: none
// irkiss: --tier contexts --contexts 2 --rounds eager ; expect: assert
//
// Each thread waits for the other 2 times: 2 contexts each, 3 switches.
#include <irkiss.h>

_Atomic int turn;

static void worker(void *argument)
{
    (void)argument;
    if (turn == 1)
        turn = 2;
    if (turn == 3)
        turn = 4;
    irkiss_assert(turn != 4); // ASSERT-FAILS
}

int main(void)
{
    irkiss_async(worker, 0);
    if (turn == 0)
        turn = 1;
    if (turn == 2)
        turn = 3;
    return 0;
}
