/* What the system tells: written where the caller says, and arbitrary. Sizes are those of 64-bit Linux; of a struct that differs from one
 * architecture to another as much as is the same. Texts have up to 15 characters. */
#include "irkiss_pthread.h"

void __irkiss_print_string(const char *s, u64 precision);
usize strlen(const char *s);

static _Bool fails(void)
{
    if (!__irkiss_nondet_bool())
        return 0;
    irkiss_set_errno((int)(__irkiss_nondet_u8() & 127));
    return 1;
}

static int told(void *place, u64 bytes)
{
    if (fails())
        return -1;
    __irkiss_havoc(place, bytes);
    return 0;
}

static usize text(char *place, usize room)
{
    usize length = __irkiss_nondet_u8() & 15;
    length = length < room ? length : room;
    IRKISS_FOLLOWED
    for (usize n = 0; n < length; n++)
        place[n] = (char)(__irkiss_nondet_u8() | 1);
    return length;
}

static int told_text(char *place, usize room)
{
    if (fails() || room == 0)
        return -1;
    place[text(place, room - 1)] = 0;
    return 0;
}

/* ---- Files. ---- */
#define STAT (sizeof(long) == 8 ? 120 : 64)

static int look_at(const char *path, void *place)
{
    __irkiss_print_string(path, ~0ull);
    return told(place, STAT);
}

int stat(const char *path, void *place) { return look_at(path, place); }
int lstat(const char *path, void *place) { return look_at(path, place); }
int fstat(int file, void *place) { (void)file; return told(place, STAT); }
int fstatat(int folder, const char *path, void *place, int flags) { (void)folder, (void)flags; return look_at(path, place); }

ssize readlink(const char *path, char *place, usize room)
{
    __irkiss_print_string(path, ~0ull);
    return fails() ? -1 : (ssize)text(place, room);
}

IRKISS_ASSUMES("allocation-succeeds")
char *realpath(const char *path, char *place)
{
    __irkiss_print_string(path, ~0ull);
    if (!place)
        place = irkiss_allocate(16, 0);
    return told_text(place, 16) == 0 ? place : NULL;
}

IRKISS_ASSUMES("allocation-succeeds")
char *getcwd(char *place, usize room)
{
    if (!place) {
        place = irkiss_allocate(16, 0);
        room = 16;
    }
    return told_text(place, room) == 0 ? place : NULL;
}

/* The last six characters are replaced. */
static void name_anew(char *pattern)
{
    usize length = strlen(pattern);
    if (length >= 6) {
        char *place = pattern + length - 6;
        IRKISS_TO_THE_END
        for (int n = 0; n < 6; n++)
            place[n] = (char)(__irkiss_nondet_u8() | 1);
    }
}

static int made(char *pattern)
{
    name_anew(pattern);
    return fails() ? -1 : (int)(__irkiss_nondet_u32() & 511);
}

int mkstemp(char *pattern) { return made(pattern); }
int mkostemp(char *pattern, int flags) { (void)flags; return made(pattern); }
char *mkdtemp(char *pattern) { name_anew(pattern); return fails() ? NULL : pattern; }

/* ---- The machine and the process. ---- */
int gethostname(char *place, usize room) { return told_text(place, room); }
/* Six texts of 65 bytes. */
int uname(char *place)
{
    if (told(place, 6 * 65) < 0)
        return -1;
    IRKISS_TO_THE_END
    for (int n = 0; n < 6; n++)
        place[n * 65 + 64] = 0;
    return 0;
}
int sysinfo(void *place) { return told(place, 13 * sizeof(long)); }
long times(void *place) { return told(place, 4 * sizeof(long)) < 0 ? -1 : (long)(__irkiss_nondet_u32() & 0x7fffffff); }
int getrusage(int whose, void *place) { (void)whose; return told(place, 18 * sizeof(long)); }
int getrlimit(int what, void *place) { (void)what; return told(place, 2 * sizeof(long)); }
int getloadavg(double *place, int count) { return count > 0 && told(place, 8 * (u64)count) == 0 ? count : -1; }

ssize getrandom(void *place, usize count, unsigned flags)
{
    (void)flags;
    return told(place, count) < 0 ? -1 : (ssize)count;
}
int getentropy(void *place, usize count) { return told(place, count); }
void arc4random_buf(void *place, usize count) { __irkiss_havoc(place, count); }

/* ---- Scheduling. ---- */
int sched_getaffinity(int process, usize bytes, void *place) { (void)process; return told(place, bytes); }
int sched_getparam(int process, void *place) { (void)process; return told(place, sizeof(int)); }

/* Those of threads answer the error. */
static int told_of_thread(void *place, u64 bytes)
{
    if (__irkiss_nondet_bool())
        return IRKISS_ESRCH;
    __irkiss_havoc(place, bytes);
    return 0;
}

int pthread_getaffinity_np(irkiss_thread thread, usize bytes, void *place) { (void)thread; return told_of_thread(place, bytes); }
int pthread_getcpuclockid(irkiss_thread thread, int *place) { (void)thread; return told_of_thread(place, sizeof(int)); }
int pthread_getschedparam(irkiss_thread thread, int *policy, void *place)
{
    (void)thread;
    return told_of_thread(policy, sizeof(int)) ? IRKISS_ESRCH : told_of_thread(place, sizeof(int));
}
int pthread_getname_np(irkiss_thread thread, char *place, usize room)
{
    (void)thread;
    return told_text(place, room) == 0 ? 0 : IRKISS_ESRCH;
}
int pthread_getattr_np(irkiss_thread thread, void *place) { (void)thread; return told_of_thread(place, 7 * sizeof(long)); }

/* ---- Time. ---- */
int getitimer(int which, void *place) { (void)which; return told(place, 4 * sizeof(long)); }
int timer_gettime(void *timer, void *place) { (void)timer; return told(place, 4 * sizeof(long)); }

/* Nine numbers and what zone it is; NULL: it is no such text. */
char *strptime(const char *from, const char *format, void *place)
{
    u64 read = __irkiss_nondet_u8();
    __irkiss_print_string(format, ~0ull);
    __irkiss_havoc(place, 9 * sizeof(int));
    usize length = strlen(from);
    return read > length ? NULL : (char *)from + (length - read);
}

/* ---- Random numbers of a generator of the program. ---- */
static int next(void *generator, void *place, u64 bytes)
{
    __irkiss_havoc(generator, 4);
    __irkiss_havoc(place, bytes);
    return 0;
}

int random_r(void *generator, int *place)
{
    next(generator, place, sizeof(int));
    *place &= 0x7fffffff;
    return 0;
}
int srandom_r(unsigned seed, void *generator) { (void)seed; __irkiss_havoc(generator, 4); return 0; }
int initstate_r(unsigned seed, char *state, usize bytes, void *generator)
{
    (void)seed;
    __irkiss_havoc(state, bytes);
    __irkiss_havoc(generator, 4);
    return 0;
}
int srand48_r(long seed, void *generator) { (void)seed; __irkiss_havoc(generator, 4); return 0; }
int lrand48_r(void *generator, long *place) { return next(generator, place, sizeof(long)); }
int drand48_r(void *generator, double *place)
{
    next(generator, place, sizeof(double));
    *place = __irkiss_nondet_u32() / 4294967296.0;
    return 0;
}

/* ---- Entries of a data base: the entry, and its texts in a buffer of the caller's. ---- */
struct user {
    char *name, *password;
    u32 user, group;
    char *comment, *folder, *shell;
};
struct group {
    char *name, *password;
    u32 group;
    char **members;
};

static int found(void *entry, void **result, char *place, usize room)
{
    *result = NULL;
    if (fails())
        return (int)(__irkiss_nondet_u8() & 127);
    if (room < 16 || told_text(place, 16) != 0)
        return 0;
    *result = entry;
    return 0;
}

static int user(struct user *entry, char *place, usize room, void **result)
{
    int error = found(entry, result, place, room);
    if (*result)
        *entry = (struct user){place, place, __irkiss_nondet_u32(), __irkiss_nondet_u32(), place, place, place};
    return error;
}

static int group(struct group *entry, char *place, usize room, void **result)
{
    static char *const none[1];
    int error = found(entry, result, place, room);
    if (*result)
        *entry = (struct group){place, place, __irkiss_nondet_u32(), (char **)none};
    return error;
}

int getpwnam_r(const char *name, struct user *entry, char *place, usize room, void **result)
{
    __irkiss_print_string(name, ~0ull);
    return user(entry, place, room, result);
}
int getpwuid_r(u32 id, struct user *entry, char *place, usize room, void **result) { (void)id; return user(entry, place, room, result); }
int getgrnam_r(const char *name, struct group *entry, char *place, usize room, void **result)
{
    __irkiss_print_string(name, ~0ull);
    return group(entry, place, room, result);
}
int getgrgid_r(u32 id, struct group *entry, char *place, usize room, void **result) { (void)id; return group(entry, place, room, result); }

/* ---- An error that ends the program. ---- */
__attribute__((noreturn)) void exit(int status);
void error(int status, int number, const char *format, ...)
{
    (void)number, (void)format;
    if (status)
        exit(status);
}

/* ---- What is not followed: contexts of their own, what is read and written meanwhile. ---- */
int swapcontext(void *place, const void *context)
{
    (void)place, (void)context;
    __irkiss_unsupported("contexts of the program's own (swapcontext)");
}

static int meanwhile(void)
{
    __irkiss_gap("what is read and written meanwhile (aio)");
    return fails() ? -1 : 0;
}

int aio_read(void *request) { (void)request; return meanwhile(); }
int aio_write(void *request) { (void)request; return meanwhile(); }
