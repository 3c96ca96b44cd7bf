// irkiss: --pair clock_resolution,clock_resolution ; expect: race ; lazy: yes
//
// Operations that no rule describes are given what lies on their caller's stack, each call another one, and the object that was
// registered, which is one for all.
#include "part_linux.h"

struct moment { long long seconds; long nanoseconds; };
struct dial { int number; };
struct dial_operations { int (*resolution)(struct dial *dial, struct moment *moment); };
extern int dial_register(struct dial *dial, const struct dial_operations *operations);
extern void dial_unregister(struct dial *dial);

static int clock_resolution(struct dial *dial, struct moment *moment)
{
    dial->number++; // RACE
    moment->seconds = 0;
    moment->nanoseconds = 1;
    return 0;
}

static const struct dial_operations clock_operations = { .resolution = clock_resolution };
static struct dial clock_dial;

int init_module(void)
{
    return dial_register(&clock_dial, &clock_operations);
}

void cleanup_module(void)
{
    dial_unregister(&clock_dial);
}
