// irkiss: ; expect: none ; forms: nopass ; lazy: yes
//
// One thread at a time looks at them.
#define _GNU_SOURCE
#include <pthread.h>
#include <pwd.h>
#include <grp.h>
#include <shadow.h>
#include <netdb.h>
#include <mntent.h>
#include <utmpx.h>
#include <ttyent.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *argument)
{
    pthread_mutex_lock(&lock);
    getpwent();
    setpwent();
    endpwent();
    getgrent();
    setgrent();
    endgrent();
    getspent();
    getspnam("a");
    gethostent();
    getnetent();
    getnetbyname("a");
    getprotoent();
    getprotobyname("a");
    getprotobynumber(1);
    getservent();
    getttyent();
    getmntent(0);
    getutxent();
    setutxent();
    endutxent();
    getdate("1");
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
