// irkiss: --tier kiss --ts 2 ; expect: none ; forms: nopass
// irkiss: --tier contexts --contexts 3 ; expect: none ; forms: nopass
// irkiss: --tier contexts --contexts 4 ; expect: assert ; forms: nopass
// irkiss: --tier contexts --contexts 4 --switches 6 ; expect: none ; forms: nopass
// irkiss: --tier contexts --contexts 4 --switches 7 ; expect: assert ; forms: nopass
// irkiss: --tier contexts --contexts 3 --rounds eager ; expect: none
// irkiss: --tier contexts --contexts 4 --rounds eager ; expect: assert
//
// Each thread waits for the other 4 times: 4 contexts each, 7 switches.
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
    if (turn == 7)
        turn = 8;
    irkiss_assert(turn != 8); // ASSERT-FAILS
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
    if (turn == 6)
        turn = 7;
    return 0;
}
