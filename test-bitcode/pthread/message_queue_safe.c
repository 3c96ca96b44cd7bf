// irkiss: --work 400k ; expect: none ; forms: nopass ; lazy: yes
//
// A message is received after it was sent.
#include <fcntl.h>
#include <mqueue.h>
#include <pthread.h>
#include <sys/msg.h>

static int by_name, by_key;
static mqd_t named;
static int keyed;

static void *sends(void *unused)
{
    struct { long kind; char text[4]; } message = { 7, "abc" };

    by_name = 1;
    mq_send(named, "abc", 4, 1);
    by_key = 1;
    msgsnd(keyed, &message, sizeof message.text, 0);
    return unused;
}

int main(void)
{
    struct { long kind; char text[4]; } got = { 0, "" };
    char text[8];
    unsigned priority = 0;
    pthread_t a;

    named = mq_open("/a", O_CREAT | O_RDWR, 0600, (struct mq_attr *)0);
    keyed = msgget(IPC_PRIVATE, 0600);
    if (named == (mqd_t)-1 || keyed < 0)
        return 1;
    pthread_create(&a, 0, sends, 0);
    if (mq_receive(named, text, sizeof text, &priority) == 4 && text[1] == 'b' && priority == 1)
        by_name = 2;
    if (msgrcv(keyed, &got, sizeof got.text, 7, 0) == 4 && got.text[0] == 'a')
        by_key = 2;
    pthread_join(a, 0);
    mq_close(named);
    return 0;
}
