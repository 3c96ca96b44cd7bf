// irkiss: --property uaf ; expect: none ; forms: nopass ; lazy: yes
//
// A condition is signalled under its mutex, which who looks takes before it deletes both.
#include <condition_variable>
#include <mutex>
#include <thread>

struct request {
    std::mutex lock;
    std::condition_variable done;
    int state = 0;
};

static request *r;

static void serve()
{
    r->lock.lock();
    r->state = 1;
    r->done.notify_one();
    r->lock.unlock();
}

static void look()
{
    r->lock.lock();
    bool over = r->state != 0;
    r->lock.unlock();
    if (over)
        delete r;
}

int main()
{
    r = new request;
    std::thread server(serve);

    look();
    server.join();
    return 0;
}
