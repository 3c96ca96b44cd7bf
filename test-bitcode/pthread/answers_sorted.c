// irkiss: --property assert ; expect: none
//
// What is sorted, and what is looked for in it. It also runs natively (tests/oracle.rs).
#define _GNU_SOURCE
#include <assert.h>
#include <search.h>
#include <stdlib.h>

static int by_value(const void *a, const void *b)
{
    const int *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static int other_way(const void *a, const void *b, void *asked)
{
    ++*(int *)asked;
    return by_value(b, a);
}


int main(void)
{
    int row[3] = {2, 3, 1}, two = 2, four = 4, asked = 0;
    qsort(row, 2, sizeof *row, by_value);
    assert(row[0] <= row[1]);
    qsort_r(row, 2, sizeof *row, other_way, &asked);
    assert(row[0] >= row[1]);
    int sorted[3] = {1, 2, 3};
    int *found = bsearch(&two, sorted, 3, sizeof *sorted, by_value);
    assert(found == sorted + 1);
    assert(bsearch(&four, sorted, 3, sizeof *sorted, by_value) == NULL);
    size_t many = 3;
    assert(lfind(&two, sorted, &many, sizeof *sorted, by_value) == sorted + 1);
    int room[4] = {1, 2, 3, 0};
    assert(lsearch(&four, room, &many, sizeof *room, by_value) == room + 3);
    assert(many == 4 && room[3] == 4);
    return 0;
}
