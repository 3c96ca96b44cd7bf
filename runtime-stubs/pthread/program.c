/* The start and the end of a program: its arguments, its environment, handlers that run at its end.
 *
 * The end of the program ends all threads. Here it ends the calling one: the others' further steps could as well have come
 * before it, so no behaviour is added. Handlers registered for the end run before, while the others still run. */
#include "irkiss_internal.h"

void __irkiss_program_ends(void);

/* Arguments are at most this many, the program's name included, and this many bytes long, with the byte that ends them. */
#define ARGUMENTS 8
#define LENGTH 64
/* Handlers for the end; more are unsupported. */
#define HANDLERS 4

enum { AT_EXIT, ON_EXIT, WITH_ARGUMENT };

/* A string of arbitrary content. */
static char *text(const char *name)
{
    char *string = __irkiss_lazy(LENGTH, name);
    IRKISS_ATOMIC(string[LENGTH - 1] = 0);
    return string;
}

/* Linux gives a program its name at least (fs/exec.c: do_execveat_common). */
IRKISS_ASSUMES("program-arguments")
int __irkiss_argument_count(void)
{
    return 1 + (int)(__irkiss_nondet_u8() & (ARGUMENTS - 1));
}

char **__irkiss_arguments(int count)
{
    char **list = __irkiss_lazy((ARGUMENTS + 1) * sizeof(char *), "argv");
    char *first = text("argv[0]"), *second = text("argv[1]"), *third = text("argv[2]"), *fourth = text("argv[3]");
    char *fifth = text("argv[4]"), *sixth = text("argv[5]"), *seventh = text("argv[6]"), *eighth = text("argv[7]");
    char *none = NULL;
    __irkiss_atomic_begin();
    list[0] = first;
    list[1] = count > 1 ? second : none;
    list[2] = count > 2 ? third : none;
    list[3] = count > 3 ? fourth : none;
    list[4] = count > 4 ? fifth : none;
    list[5] = count > 5 ? sixth : none;
    list[6] = count > 6 ? seventh : none;
    list[7] = count > 7 ? eighth : none;
    list[8] = none;
    __irkiss_atomic_end();
    return list;
}

/* Up to three variables, whatever they are. */
char **environ;
extern char **__environ __attribute__((alias("environ")));
extern char **_environ __attribute__((alias("environ")));

IRKISS_ASSUMES("program-arguments")
char **__irkiss_environment(void)
{
    char **list = __irkiss_lazy(4 * sizeof(char *), "environment");
    char *first = text("a variable of the environment"), *second = text("a variable of the environment");
    char *third = text("a variable of the environment"), *none = NULL;
    u8 count = __irkiss_nondet_u8();
    __irkiss_atomic_begin();
    list[0] = count > 0 ? first : none;
    list[1] = count > 1 ? second : none;
    list[2] = count > 2 ? third : none;
    list[3] = none;
    environ = list;
    __irkiss_atomic_end();
    return list;
}

/* ---- Handlers for the end. ---- */
struct handler {
    u32 kind;
    union {
        void (*plain)(void);
        void (*with_status)(int, void *);
        void (*with_argument)(void *);
    };
    void *argument;
};

static struct handler at_end[HANDLERS], at_quick_end[HANDLERS];
static u32 registered, registered_quick;

static int register_in(struct handler *list, u32 *count, struct handler handler)
{
    __irkiss_atomic_begin();
    u32 place = *count;
    if (place >= HANDLERS)
        __irkiss_exceeded("more than 4 functions registered for the end of the program");
    list[place % HANDLERS] = handler;
    *count = place + 1;
    __irkiss_atomic_end();
    return 0;
}

int atexit(void (*function)(void))
{
    return register_in(at_end, &registered, (struct handler){ .kind = AT_EXIT, .plain = function });
}

int at_quick_exit(void (*function)(void))
{
    return register_in(at_quick_end, &registered_quick, (struct handler){ .kind = AT_EXIT, .plain = function });
}

int on_exit(void (*function)(int, void *), void *argument)
{
    struct handler handler = { .kind = ON_EXIT, .with_status = function, .argument = argument };
    return register_in(at_end, &registered, handler);
}

int __cxa_atexit(void (*function)(void *), void *argument, void *object)
{
    struct handler handler = { .kind = WITH_ARGUMENT, .with_argument = function, .argument = argument };
    (void)object;
    return register_in(at_end, &registered, handler);
}

/* Each runs once, even if two threads end the program. */
static void run_last(struct handler *list, u32 *count, u32 place, int status)
{
    struct handler handler = { 0 };
    _Bool there = 0;
    __irkiss_atomic_begin();
    if (*count == place + 1) {
        *count = place;
        handler = list[place];
        there = 1;
    }
    __irkiss_atomic_end();
    if (!there)
        return;
    if (handler.kind == AT_EXIT)
        handler.plain();
    else if (handler.kind == ON_EXIT)
        handler.with_status(status, handler.argument);
    else
        handler.with_argument(handler.argument);
}

static void run_all(struct handler *list, u32 *count, int status)
{
    u32 now;
    IRKISS_ATOMIC(now = *count);
    if (now > 3)
        run_last(list, count, 3, status);
    if (now > 2)
        run_last(list, count, 2, status);
    if (now > 1)
        run_last(list, count, 1, status);
    if (now > 0)
        run_last(list, count, 0, status);
}

/* Functions that run at every end of the program (`__attribute__((destructor))`): the harness of a program knows them. */
void __irkiss_destructors(void) {}

/* What C++ destroys at a thread's end: nothing in programs without (locals.c). */
void irkiss_destroy_thread_locals(void);

__attribute__((noreturn)) void exit(int status)
{
    irkiss_destroy_thread_locals();
    run_all(at_end, &registered, status);
    __irkiss_destructors();
    __irkiss_program_ends();
    __irkiss_stop();
}

/* A program that `main` has left by pthread_exit ends, as by exit(0), with its last thread (POSIX: pthread_exit). Nothing in programs
 * without functions for the end, or without pthread_exit. */
static u32 begun, ended;

void irkiss_thread_begins(void) { IRKISS_ATOMIC(begun++); }

void irkiss_thread_ends(void)
{
    _Bool last;
    __irkiss_atomic_begin();
    ended++;
    last = ended == begun + 1;
    __irkiss_atomic_end();
    if (last)
        exit(0);
}

__attribute__((noreturn)) void quick_exit(int status)
{
    run_all(at_quick_end, &registered_quick, status);
    __irkiss_program_ends();
    __irkiss_stop();
}

__attribute__((noreturn)) void _exit(int status) { (void)status; __irkiss_program_ends(); __irkiss_stop(); }
__attribute__((noreturn)) void _Exit(int status) { (void)status; __irkiss_program_ends(); __irkiss_stop(); }
void irkiss_raised(int number);

/* SIGABRT is raised; if its handler comes back, the program ends all the same. */
__attribute__((noreturn)) void abort(void)
{
    irkiss_raised(6);
    __irkiss_program_ends();
    __irkiss_stop();
}

__attribute__((noreturn)) void __stack_chk_fail(void) { __irkiss_program_ends(); __irkiss_stop(); }
