/* getopt: which options come is not followed in what the arguments are. Each call gives one of those that are told, with an argument
 * if it takes one, or an error, or the end. Its state is the program's to see. */
#include "irkiss_pthread.h"

int optind = 1, opterr = 1, optopt;
char *optarg;

/* Takes an argument of an option: the rest of this one, or the next. */
static _Bool take(int count, char *const list[], _Bool optional)
{
    int at = optind;
    if (optional && __irkiss_nondet_bool()) {
        optarg = NULL;
        optind = at + 1;
    } else if (__irkiss_nondet_bool()) {
        optarg = list[at];
        optind = at + 1;
    } else {
        if (at + 1 >= count)
            return 0;
        optarg = list[at + 1];
        optind = at + 2;
    }
    return 1;
}

int getopt(int count, char *const list[], const char *options)
{
    u8 place = __irkiss_nondet_u8();
    char letter;
    if (optind >= count || !__irkiss_nondet_bool())
        return -1;
    if (place >= __builtin_strlen(options) || options[place] == ':' || __irkiss_nondet_bool()) {
        optopt = __irkiss_nondet_u8();
        optind++;
        return '?';
    }
    letter = options[place];
    if (options[place + 1] == ':') {
        if (!take(count, list, options[place + 2] == ':')) {
            optopt = letter;
            return options[0] == ':' ? ':' : '?';
        }
    } else if (!__irkiss_nondet_bool()) {
        /* Else others follow in the same argument. */
        optind++;
    }
    return letter;
}

int __posix_getopt(int count, char *const list[], const char *options) { return getopt(count, list, options); }

struct option {
    const char *name;
    int has_argument;
    int *flag;
    int value;
};

int getopt_long(int count, char *const list[], const char *options, const struct option *all, int *which)
{
    u8 place = __irkiss_nondet_u8() & 31;
    if (__irkiss_nondet_bool())
        return getopt(count, list, options);
    if (optind >= count)
        return -1;
    IRKISS_FOLLOWED_TWICE
    for (u8 n = 0; n <= place; n++) {
        if (!all[n].name) {
            optopt = 0;
            optind++;
            return '?';
        }
    }
    if (which)
        *which = place;
    if (all[place].has_argument == 0)
        optind++;
    else if (!take(count, list, all[place].has_argument == 2))
        return '?';
    if (all[place].flag) {
        *all[place].flag = all[place].value;
        return 0;
    }
    return all[place].value;
}

int getopt_long_only(int count, char *const list[], const char *options, const struct option *all, int *which)
{
    return getopt_long(count, list, options, all, which);
}
