// irkiss: --work 400k ; expect: none ; forms: nopass ; lazy: yes
//
// Queues of messages: what is received is what was sent, of a higher priority or of the type that is asked for first; with a limit of
// time, nothing where there is nothing; a name that is given up is none.
#include <assert.h>
#include <fcntl.h>
#include <mqueue.h>
#include <pthread.h>
#include <sys/msg.h>
#include <time.h>

struct message { long kind; char text[2]; };

static void *other(void *unused) { return unused; }

int main(void)
{
    pthread_t a;
    struct message one = { 1, "a" }, two = { 2, "b" }, got;
    struct timespec now = { 0, 0 };
    unsigned priority = 9;
    char text[8];
    mqd_t named = mq_open("/a", O_CREAT | O_RDWR, 0600, (struct mq_attr *)0), again;
    int keyed = msgget(3, IPC_CREAT | 0600);

    if (named == (mqd_t)-1 || keyed < 0)
        return 1;
    pthread_create(&a, 0, other, 0);
    pthread_join(a, 0);
    assert(mq_timedreceive(named, text, sizeof text, &priority, &now) == -1);
    mq_send(named, "ab", 2, 1);
    if (mq_timedsend(named, "cde", 3, 2, &now) == 0) {
        assert(mq_receive(named, text, sizeof text, &priority) == 3);
        assert(text[2] == 'e' && priority == 2);
    }
    assert(mq_timedreceive(named, text, sizeof text, &priority, &now) == 2);
    assert(text[1] == 'b' && priority == 1);
    mq_unlink("/a");
    again = mq_open("/a", O_RDWR);
    assert(again == (mqd_t)-1);
    msgsnd(keyed, &one, sizeof one.text, 0);
    msgsnd(keyed, &two, sizeof two.text, 0);
    assert(msgrcv(keyed, &got, sizeof got.text, 2, 0) == 2 && got.kind == 2 && got.text[0] == 'b');
    assert(msgrcv(keyed, &got, sizeof got.text, 2, IPC_NOWAIT) == -1);
    assert(msgrcv(keyed, &got, sizeof got.text, 0, 0) == 2 && got.kind == 1 && got.text[0] == 'a');
    keyed = msgget(3, 0600);
    assert(keyed == -1 || msgrcv(keyed, &got, sizeof got.text, 0, IPC_NOWAIT) == -1);
    return 0;
}
