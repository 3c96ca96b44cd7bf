// irkiss: ; expect: race ; forms: nopass ; lazy: yes
//
// Wide strings, and pieces that are written to a file, are read while another thread writes there.
#define _GNU_SOURCE
#include <pthread.h>
#include <sys/uio.h>
#include <wchar.h>

static wchar_t wide0[4], wide1[4], wide2[4], wide3[4];
static char bytes[4];
static struct iovec piece = { bytes, 4 };

static void *writes(void *argument)
{
    wide0[0] = 0; // RACE
    wide1[0] = 0; // RACE
    wide2[0] = 0; // RACE
    wide3[0] = 0; // RACE
    bytes[0] = 0; // RACE
    return argument;
}

int main(void)
{
    pthread_t a;
    size_t found;

    pthread_create(&a, 0, writes, 0);
    found = wcslen(wide0); // RACE
    found += wcscmp(wide1, L"a") == 0; // RACE
    found += wcschr(wide2, L'a') != 0; // RACE
    found += wcsdup(wide3) != 0; // RACE
    pwritev(3, &piece, 1, 0); // RACE
    pthread_join(a, 0);
    return found != 0;
}
