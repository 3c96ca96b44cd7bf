// irkiss: ; expect: race ; forms: nopass ; lazy: yes
//
// Entries of tables of the system, which are in buffers of all threads (glibc: MT-Unsafe); races at one place of the models are told once.
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

static void *work(void *argument)
{
    getpwent(); // RACE
    setpwent(); // RACE
    endpwent(); // RACE?
    getgrent(); // RACE
    setgrent(); // RACE
    endgrent(); // RACE?
    getspent(); // RACE?
    getspnam("a"); // RACE?
    gethostent(); // RACE?
    getnetent(); // RACE?
    getnetbyname("a"); // RACE?
    getprotoent(); // RACE?
    getprotobyname("a"); // RACE?
    getprotobynumber(1); // RACE?
    getservent(); // RACE?
    getttyent(); // RACE?
    getmntent(0); // RACE?
    getutxent(); // RACE
    setutxent(); // RACE?
    endutxent(); // RACE?
    getdate("1"); // RACE
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
