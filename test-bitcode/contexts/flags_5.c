// irkiss: --tier kiss --ts 2 ; expect: none ; forms: nopass
// irkiss: --tier contexts --contexts 4 ; expect: none ; forms: nopass
// irkiss: --tier contexts --contexts 5 ; expect: assert ; forms: nopass
// irkiss: --tier contexts --contexts 5 --switches 8 ; expect: none ; forms: nopass
// irkiss: --tier contexts --contexts 5 --switches 9 ; expect: assert ; forms: nopass
// irkiss: --tier kiss --max-instructions 1500 ; expect: none ; forms: nopass
// irkiss: --tier kiss,contexts --contexts 5 --max-instructions 1500 ; expect: unknown ; forms: nopass
//
// Each thread waits for the other 5 times: 5 contexts each, 9 switches. What KISS bounds is not bounded if the search in
// rounds does not come to its end.
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
    if (turn == 9)
        turn = 10;
    irkiss_assert(turn != 10); // ASSERT-FAILS
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
    if (turn == 8)
        turn = 9;
    return 0;
}
