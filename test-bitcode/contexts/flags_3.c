// irkiss: --tier kiss --ts 2 ; expect: none
// irkiss: --tier contexts --contexts 2 ; expect: none
// irkiss: --tier contexts --contexts 3 ; expect: assert
// irkiss: --tier contexts --contexts 3 --switches 4 ; expect: none
// irkiss: --tier contexts --contexts 3 --switches 5 ; expect: assert
// irkiss: --tier contexts --contexts 2 --rounds eager ; expect: none
// irkiss: --tier contexts --contexts 3 --rounds eager ; expect: assert
//
// Each thread waits for the other 3 times: 3 contexts each, 5 switches.
#include <irkiss.h>

_Atomic int turn;

static void worker(void *argument)
{
    (void)argument;
    if (turn == 1)
        turn = 2;
    if (turn == 3)
        turn = 4;
    if (turn == 5)
        turn = 6;
    irkiss_assert(turn != 6); // ASSERT-FAILS
}

int main(void)
{
    irkiss_async(worker, 0);
    if (turn == 0)
        turn = 1;
    if (turn == 2)
        turn = 3;
    if (turn == 4)
        turn = 5;
    return 0;
}
