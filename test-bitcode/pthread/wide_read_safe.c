// irkiss: ; expect: none ; forms: nopass ; lazy: yes
//
// Wide strings, and pieces that are written to a file, are read, by one thread at a time.
#define _GNU_SOURCE
#include <pthread.h>
#include <sys/uio.h>
#include <wchar.h>

static wchar_t wide0[4], wide1[4], wide2[4], wide3[4];
static char bytes[4];
static struct iovec piece = { bytes, 4 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *writes(void *argument)
{
    pthread_mutex_lock(&lock);
    wide0[0] = 0;
    wide1[0] = 0;
    wide2[0] = 0;
    wide3[0] = 0;
    bytes[0] = 0;
    pthread_mutex_unlock(&lock);
    return argument;
}

int main(void)
{
    pthread_t a;
    size_t found;

    pthread_create(&a, 0, writes, 0);
    pthread_mutex_lock(&lock);
    found = wcslen(wide0);
    found += wcscmp(wide1, L"a") == 0;
    found += wcschr(wide2, L'a') != 0;
    found += wcsdup(wide3) != 0;
    pwritev(3, &piece, 1, 0);
    pthread_mutex_unlock(&lock);
    pthread_join(a, 0);
    return found != 0;
}
