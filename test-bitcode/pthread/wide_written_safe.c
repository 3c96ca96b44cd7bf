// irkiss: ; expect: none ; forms: nopass ; lazy: yes
//
// Wide strings and texts of other kinds are written where the caller says: one thread at a time has it told.
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
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *argument)
{
    pthread_mutex_lock(&lock);
    wcsncpy(wide0, L"a", 2);
    wcscat(wide1, L"a");
    wmemcpy(wide2, L"a", 2);
    wmemmove(wide3, L"a", 2);
    wmemset(wide4, L'a', 2);
    swprintf(wide5, 8, L"%d", 1);
    wcstombs(narrow, L"a", 8);
    regexec(&pattern, "a", 1, &place, 0);
    regfree(&old);
    regerror(1, 0, error, sizeof error);
    globfree(&names);
    iconv(converter, &in, &left, &out, &room);
    pthread_mutex_unlock(&lock);
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
