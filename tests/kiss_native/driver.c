/* Runs a sequentialized program natively, on every path: the primitives in plain C, with fork() for the choices.
 *
 *     driver TS RACE      TS: MAX of KISS; RACE: whether accesses are checked
 *
 * prints a line `fail KIND FIRST SECOND` for each failure found (once), and `paths N pruned N crashed N`.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

typedef unsigned int u32;
typedef unsigned long long u64;

#define FAILURES 256
struct shared {
    unsigned long paths, pruned, crashed, failures;
    u32 failed[FAILURES][3];
};
static struct shared *shared;
static u32 ts_max, race;

void __kiss_main(void);

static void end_path(unsigned long *counter)
{
    ++*counter;
    _exit(0);
}

/* Every alternative in a process of its own, one after another. */
u32 __irkiss_choice(u32 site, u32 alternatives)
{
    (void)site;
    for (u32 k = 0; k + 1 < alternatives; k++) {
        pid_t child = fork();
        if (child < 0) {
            perror("fork");
            _exit(1);
        }
        if (child == 0)
            return k;
        int status;
        waitpid(child, &status, 0);
        if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
            shared->crashed++;
    }
    return alternatives - 1;
}

_Bool __irkiss_nondet_bool(void) { return __irkiss_choice(0, 2); }
_Bool __irkiss_site_enabled(u32 site) { (void)site; return 1; }
_Bool __irkiss_check_enabled(u32 site) { (void)site; return race; }
u32 __irkiss_ts_max(void) { return ts_max; }
_Bool __irkiss_plain_raise(void) { return 1; }

u32 __irkiss_watched(u32 site) { (void)site; return 0; }

u64 __irkiss_watched_bits(u32 site) { (void)site; return 0; }

void __irkiss_assume(_Bool condition)
{
    if (!condition)
        end_path(&shared->pruned);
}

/* Programs here have no models that check anything. */
void __irkiss_note(u32 kind, u32 first, u32 second)
{
    (void)kind, (void)first, (void)second;
}

void __irkiss_fail(u32 kind, u32 first, u32 second)
{
    unsigned long n;
    for (n = 0; n < shared->failures; n++)
        if (shared->failed[n][0] == kind && shared->failed[n][1] == first && shared->failed[n][2] == second)
            break;
    if (n == shared->failures && n < FAILURES) {
        shared->failed[n][0] = kind;
        shared->failed[n][1] = first;
        shared->failed[n][2] = second;
        shared->failures++;
    }
    end_path(&shared->paths);
}

void __irkiss_unsupported(const char *what)
{
    fprintf(stderr, "unsupported: %s\n", what);
    _exit(1);
}

_Bool __irkiss_same_location(const void *a, u64 an, const void *b, u64 bn)
{
    return (const char *)a < (const char *)b + bn && (const char *)b < (const char *)a + an;
}

void __irkiss_havoc(void *address, u64 size) { memset(address, 0xa5, size); }

static char arena[1 << 14];
static u64 used;
void *__irkiss_alloc(u64 size, _Bool zero)
{
    (void)zero;
    void *object = arena + used;
    used += (size + 15) & ~15ull;
    return object;
}
void __irkiss_free(void *object) { (void)object; }

static struct {
    const void *address;
    u32 key;
    u64 value;
} ghosts[64];
static u32 ghost_count;
static u32 ghost(const void *address, u32 key)
{
    for (u32 n = 0; n < ghost_count; n++)
        if (ghosts[n].address == address && ghosts[n].key == key)
            return n;
    ghosts[ghost_count].address = address;
    ghosts[ghost_count].key = key;
    return ghost_count++;
}
u64 __irkiss_ghost_get(const void *address, u32 key) { return ghosts[ghost(address, key)].value; }
void __irkiss_ghost_set(const void *address, u32 key, u64 value) { ghosts[ghost(address, key)].value = value; }

/* All static data of the executable. Stack objects are not restored: no test depends on them. */
extern char __data_start[], _end[];
static char *saved;
void __irkiss_snapshot(void)
{
    char *copy = malloc(_end - __data_start);
    memcpy(copy, __data_start, _end - __data_start);
    saved = copy;
}
void __irkiss_rollback(void)
{
    memcpy(__data_start, saved, _end - __data_start);
}

int main(int argc, char **argv)
{
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    ts_max = argc > 1 ? atoi(argv[1]) : 0;
    race = argc > 2 ? atoi(argv[2]) : 0;
    pid_t child = fork();
    if (child == 0) {
        __kiss_main();
        end_path(&shared->paths);
    }
    int status;
    waitpid(child, &status, 0);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        shared->crashed++;
    for (unsigned long n = 0; n < shared->failures; n++)
        printf("fail %u %u %u\n", shared->failed[n][0], shared->failed[n][1], shared->failed[n][2]);
    printf("paths %lu pruned %lu crashed %lu\n", shared->paths, shared->pruned, shared->crashed);
    return 0;
}
