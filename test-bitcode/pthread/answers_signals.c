// irkiss: --property assert ; expect: none
//
// Sets of signals. It also runs natively (tests/oracle.rs).
#include <assert.h>
#include <signal.h>

int main(void)
{
    sigset_t set;
    assert(sigemptyset(&set) == 0);
    assert(sigismember(&set, SIGUSR1) == 0);
    assert(sigaddset(&set, SIGUSR1) == 0);
    assert(sigismember(&set, SIGUSR1) == 1);
    assert(sigdelset(&set, SIGUSR1) == 0);
    assert(sigismember(&set, SIGUSR1) == 0);
    assert(sigfillset(&set) == 0);
    assert(sigismember(&set, SIGTERM) == 1);
    return 0;
}
