// irkiss: --property uaf ; expect: uaf ; forms: nopass ; lazy: yes
//
// A condition is signalled after its mutex is given back: who looks may have deleted both by then.
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
    r->lock.unlock();
    r->done.notify_one(); // FREED
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
