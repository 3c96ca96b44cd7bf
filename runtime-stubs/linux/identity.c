/* Whose object is it (src/environment/identity.rs): one object for one function without a model and its arguments. */
#include "irkiss_linux.h"

/* What a function has given for which arguments. */
struct irkiss_given {
    void *object;
    u64 of[4];
};

static inline _Bool irkiss_given_for(const struct irkiss_given *given, u64 a, u64 b, u64 c, u64 d)
{
    return given->of[0] == a && given->of[1] == b && given->of[2] == c && given->of[3] == d;
}

/* Arguments are remembered to be compared alone: as numbers that are no addresses, so that what they lead to is not taken to be within
 * everybody's reach. */
static inline u64 irkiss_no_address(u64 a)
{
    return a << 32 | a >> 32;
}

/* The object for these arguments: the first two lists of arguments are remembered, for others the object is new each time.
 * `fresh` is the object for a list that is not known yet. */
void *__irkiss_given(struct irkiss_given *table, void *fresh, u64 a, u64 b, u64 c, u64 d)
{
    void *found = fresh;
    struct irkiss_given *free = NULL;
    a = irkiss_no_address(a);
    b = irkiss_no_address(b);
    c = irkiss_no_address(c);
    d = irkiss_no_address(d);
    __irkiss_atomic_begin();
    if (table[0].object == NULL)
        free = &table[0];
    else if (irkiss_given_for(&table[0], a, b, c, d))
        found = table[0].object;
    else if (table[1].object == NULL)
        free = &table[1];
    else if (irkiss_given_for(&table[1], a, b, c, d))
        found = table[1].object;
    if (free != NULL) {
        free->object = fresh;
        free->of[0] = a;
        free->of[1] = b;
        free->of[2] = c;
        free->of[3] = d;
    }
    __irkiss_atomic_end();
    return found;
}
