// irkiss: ; expect: race ; forms: nopass ; lazy: yes
//
// Wide strings and texts of other kinds are written where the caller says.
#define _GNU_SOURCE
#include <glob.h>
#include <iconv.h>
#include <pthread.h>
#include <regex.h>
#include <stdlib.h>
#include <wchar.h>

static wchar_t wide0[8], wide1[8], wide2[8], wide3[8], wide4[8], wide5[8];
static char narrow[8];
static regmatch_t place;
static regex_t pattern, old;
static char error[8];
static glob_t names;
static char from[2] = "a", to[4];
static __thread char *in = from, *out = to;
static __thread size_t left = 2, room = 4;
static char state[16];
static iconv_t converter = state;

static void *work(void *argument)
{
    wcsncpy(wide0, L"a", 2); // RACE
    wcscat(wide1, L"a"); // RACE
    wmemcpy(wide2, L"a", 2); // RACE
    wmemmove(wide3, L"a", 2); // RACE
    wmemset(wide4, L'a', 2); // RACE
    swprintf(wide5, 8, L"%d", 1); // RACE
    wcstombs(narrow, L"a", 8); // RACE?
    regexec(&pattern, "a", 1, &place, 0); // RACE
    regfree(&old); // RACE
    regerror(1, 0, error, sizeof error); // RACE
    globfree(&names); // RACE
    iconv(converter, &in, &left, &out, &room); // RACE
    return argument;
}

int main(void)
{
    pthread_t a, b;

    pthread_create(&a, 0, work, 0);
    pthread_create(&b, 0, work, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
