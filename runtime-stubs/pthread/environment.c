/* The environment, as far as the program looks at it: what it has set, or asked for, under a name stays so until it is set again. What nobody
 * has set is arbitrary. */
#include "irkiss_pthread.h"

/* What getenv looks through without a lock, and the others change, one at a time (glibc). */
IRKISS_HIDDEN static u8 environment_variables;

/* Names that are known; of others, and of longer ones, each answer is arbitrary. */
#define VARIABLES 8
#define NAME 32
#define VALUE 64

static struct variable {
    char name[NAME];
    char *value;
} variables[VARIABLES];
static u32 known;

/* Copies the part before `end`; its length, 0 if there is none or no room for it. */
static u32 copy_name(char *to, const char *name, char end)
{
    u32 n = 0;
    IRKISS_FOLLOWED_TWICE
    while (n < NAME && name[n] && name[n] != end) {
        to[n] = name[n];
        n++;
    }
    if (n == NAME)
        return 0;
    to[n] = 0;
    return n;
}

static _Bool same(const char *a, const char *b)
{
    IRKISS_FOLLOWED_TWICE
    for (u32 n = 0; n < NAME; n++) {
        if (a[n] != b[n])
            return 0;
        if (!a[n])
            return 1;
    }
    return 1;
}

/* Where that name stands, or the first free place. Within a section. */
static u32 place_of(const char *name)
{
    u32 now = known;
    for (u32 n = 0; n < VARIABLES; n++)
        if (n < now && same(variables[n].name, name))
            return n;
    return now;
}

/* Within a section. */
static void put(u32 place, const char *name, char *value)
{
    if (place >= VARIABLES)
        return;
    if (place == known) {
        __builtin_memcpy(variables[place].name, name, NAME);
        known = place + 1;
    }
    variables[place].value = value;
}

/* Null, or a string of up to 63 characters. */
static char *any(void)
{
    if (!__irkiss_nondet_bool())
        return NULL;
    char *value = __irkiss_lazy(VALUE, "a variable of the environment");
    IRKISS_ATOMIC(value[VALUE - 1] = 0);
    return value;
}

static char *look_up(const char *name)
{
    u32 place;
    _Bool there;
    char *value = NULL;
    __irkiss_atomic_begin();
    place = place_of(name);
    there = place < known;
    if (there)
        value = variables[place].value;
    __irkiss_atomic_end();
    if (there)
        return value;
    char *made = any();
    __irkiss_atomic_begin();
    place = place_of(name);
    if (place < known)
        made = variables[place].value;
    else
        put(place, name, made);
    __irkiss_atomic_end();
    return made;
}

char *getenv(const char *name)
{
    char own[NAME] = { 0 };
    __irkiss_touch(&environment_variables, 1);
    return copy_name(own, name, 0) ? look_up(own) : any();
}

char *secure_getenv(const char *name) { return getenv(name); }

static void change(const char *name, char *value)
{
    __irkiss_atomic_begin();
    __irkiss_havoc(&environment_variables, 1);
    put(place_of(name), name, value);
    __irkiss_atomic_end();
}

static char *copied(const char *value)
{
    usize bytes = 0;
    IRKISS_FOLLOWED
    while (value[bytes])
        bytes++;
    char *copy = __irkiss_alloc(bytes + 1, 0);
    __builtin_memcpy(copy, value, bytes + 1);
    return copy;
}

/* What is longer than names that are known, or has no name, is left out; the second is an error. */
IRKISS_ASSUMES("glibc-protects") IRKISS_ASSUMES("settings-accepted")
int setenv(const char *name, const char *value, int overwrite)
{
    char own[NAME] = { 0 };
    if (copy_name(own, name, '=')) {
        char *before = overwrite ? NULL : look_up(own);
        if (!before)
            change(own, copied(value));
    }
    return name[0] == 0 || name[0] == '=' ? -1 : 0;
}

IRKISS_ASSUMES("glibc-protects")
int unsetenv(const char *name)
{
    char own[NAME] = { 0 };
    if (copy_name(own, name, '='))
        change(own, NULL);
    return name[0] == 0 || name[0] == '=' ? -1 : 0;
}

/* The string is the variable from then on; without a `=` it is the name of one that is gone. */
IRKISS_ASSUMES("glibc-protects") IRKISS_ASSUMES("settings-accepted")
int putenv(char *string)
{
    char own[NAME] = { 0 };
    u32 length = copy_name(own, string, '=');
    if (length)
        change(own, string[length] ? string + length + 1 : NULL);
    return 0;
}

/* What has been looked at is gone; the rest was arbitrary, and still is. */
IRKISS_ASSUMES("glibc-protects")
int clearenv(void)
{
    __irkiss_atomic_begin();
    __irkiss_havoc(&environment_variables, 1);
    for (u32 n = 0; n < VARIABLES; n++)
        variables[n].value = NULL;
    __irkiss_atomic_end();
    return 0;
}
