// irkiss: ; expect: none ; forms: nopass
//
// A destructor that first waits for the thread which calls virtual functions of its object: that these are its own stands there already,
// so nothing changes while the thread runs.
#include <thread>

struct base {
    std::thread worker;
    virtual void tick() = 0;
    void start()
    {
        worker = std::thread([this] { tick(); });
    }
    void finish()
    {
        if (worker.joinable())
            worker.join();
    }
    virtual ~base() { finish(); }
};

struct ticking : base {
    int ticks = 0;
    void tick() override { ticks++; }
    ~ticking() override { finish(); }
};

int main()
{
    ticking one;
    one.start();
    return 0;
}
