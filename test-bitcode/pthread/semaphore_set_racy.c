// irkiss: ; expect: race ; forms: nopass ; lazy: yes
//
// Semaphores of a set: the one is given before what it stands for is stored, of the other there are two.
#include <pthread.h>
#include <sys/ipc.h>
#include <sys/sem.h>

union semun { int val; void *buf; unsigned short *array; };
static int set, told, counted;

static void *gives(void *unused)
{
    struct sembuf give = { 0, 1, 0 }, take = { 1, -1, 0 };

    semop(set, &give, 1);
    told = 1; // RACE
    semop(set, &take, 1);
    counted++; // RACE
    take.sem_op = 1;
    semop(set, &take, 1);
    return unused;
}

int main(void)
{
    struct sembuf both[2] = { { 0, -1, 0 }, { 1, -1, 0 } };
    union semun one = { .val = 2 };
    pthread_t a;

    set = semget(IPC_PRIVATE, 2, 0600);
    if (set < 0)
        return 1;
    semctl(set, 1, SETVAL, one);
    pthread_create(&a, 0, gives, 0);
    semop(set, both, 2);
    told = 2;  // RACE
    counted++; // RACE
    both[1].sem_op = 1;
    semop(set, &both[1], 1);
    pthread_join(a, 0);
    return 0;
}
