// irkiss: --work 400k ; expect: none ; forms: nopass ; lazy: yes
//
// As semaphore_set_racy.c: the one is given afterwards, of the other there is one.
#include <pthread.h>
#include <sys/ipc.h>
#include <sys/sem.h>

union semun { int val; void *buf; unsigned short *array; };
static int set, told, counted;

static void *gives(void *unused)
{
    struct sembuf give = { 0, 1, 0 }, take = { 1, -1, 0 };

    told = 1;
    semop(set, &give, 1);
    semop(set, &take, 1);
    counted++;
    take.sem_op = 1;
    semop(set, &take, 1);
    return unused;
}

int main(void)
{
    struct sembuf both[2] = { { 0, -1, 0 }, { 1, -1, 0 } };
    union semun one = { .val = 1 };
    pthread_t a;

    set = semget(IPC_PRIVATE, 2, 0600);
    if (set < 0)
        return 1;
    semctl(set, 1, SETVAL, one);
    pthread_create(&a, 0, gives, 0);
    semop(set, both, 2);
    told = 2; 
    counted++;
    both[1].sem_op = 1;
    semop(set, &both[1], 1);
    pthread_join(a, 0);
    return 0;
}
