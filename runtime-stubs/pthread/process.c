/* Processes, and what is not modelled. */
#include "irkiss_pthread.h"

int getpid(void) { return 1; }
long sysconf(int name) { (void)name; return (long)__irkiss_nondet_u64(); }

/* The caller goes on as the parent, or as the child, or fork fails. Of the threads of a process its child has the calling one alone:
 * where there are others, what the child does has nothing to do with them, and is not followed. */
int fork(void)
{
    _Bool threads;
    u32 process = __irkiss_nondet_u32() & 0x3fffffff;
    if (__irkiss_nondet_bool())
        return -1;
    if (__irkiss_nondet_bool())
        return (int)process + 2;
    IRKISS_ATOMIC(threads = __irkiss_ghost_get(&__irkiss_thread_state, IRKISS_GHOST_THREADS) != 0);
    if (threads)
        __irkiss_stop();
    return 0;
}

int vfork(void) { return fork(); }

/* The parent ends, the child goes on, or it fails. */
int daemon(int nochdir, int noclose)
{
    (void)nochdir, (void)noclose;
    return fork() == 0 ? 0 : -1;
}

static int wait_for(int *status)
{
    irkiss_signals();
    irkiss_cancellation_point();
    if (__irkiss_nondet_bool())
        return -1;
    if (status)
        *status = (int)(__irkiss_nondet_u32() & 0xffff);
    return (int)(__irkiss_nondet_u32() & 0x3fffffff) + 2;
}

int wait(int *status) { return wait_for(status); }
int waitpid(int process, int *status, int options) { (void)process, (void)options; return wait_for(status); }

int system(const char *command)
{
    (void)command;
    return (int)__irkiss_nondet_u32();
}

/* What is executed instead has nothing to do with the threads; they come back only if they fail. */
static int execute(void)
{
    if (__irkiss_nondet_bool())
        __irkiss_stop();
    return -1;
}

int execv(const char *path, char *const arguments[]) { (void)path, (void)arguments; return execute(); }
int execvp(const char *path, char *const arguments[]) { (void)path, (void)arguments; return execute(); }
int execve(const char *path, char *const arguments[], char *const variables[])
{
    (void)path, (void)arguments, (void)variables;
    return execute();
}
int execl(const char *path, const char *argument, ...) { (void)path, (void)argument; return execute(); }
int execlp(const char *path, const char *argument, ...) { (void)path, (void)argument; return execute(); }

IRKISS_ASSUMES("no-jump-back") int _setjmp(void *buffer) { (void)buffer; return 0; }
IRKISS_ASSUMES("no-jump-back") int setjmp(void *buffer) { (void)buffer; return 0; }
IRKISS_ASSUMES("no-jump-back") int __sigsetjmp(void *buffer, int mask) { (void)buffer, (void)mask; return 0; }
__attribute__((noreturn)) void longjmp(void *buffer, int value)
{
    (void)buffer, (void)value;
    __irkiss_unsupported("longjmp");
}
