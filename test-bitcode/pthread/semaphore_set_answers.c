// irkiss: ; expect: none ; forms: nopass ; lazy: yes
//
// Semaphores of a set: their values, what cannot be done at once, all or nothing.
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <sys/sem.h>
#include <time.h>

union semun { int val; void *buf; unsigned short *array; };

static void *other(void *unused) { return unused; }

int main(void)
{
    pthread_t a;
    struct sembuf both[2] = { { 0, -2, IPC_NOWAIT }, { 1, -1, IPC_NOWAIT } };
    struct timespec limit = { 0, 0 };
    unsigned short values[2] = { 2, 0 };
    union semun all = { .array = values }, one = { .val = 1 };
    int set = semget(3, 2, IPC_CREAT | 0600);

    if (set < 0)
        return 1;
    pthread_create(&a, 0, other, 0);
    pthread_join(a, 0);
    assert(semctl(set, 0, GETVAL) == 0);
    semctl(set, 0, SETALL, all);
    assert(semctl(set, 0, GETVAL) == 2);
    assert(semop(set, both, 2) == -1 && semctl(set, 0, GETVAL) == 2);
    semctl(set, 1, SETVAL, one);
    assert(semop(set, both, 2) == 0 && semctl(set, 0, GETVAL) == 0 && semctl(set, 1, GETVAL) == 0);
    assert(semtimedop(set, both, 2, &limit) == -1);
    return 0;
}
