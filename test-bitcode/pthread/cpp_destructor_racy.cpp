// irkiss: ; expect: race ; forms: nopass
//
// Only the destructor of the base class waits for the thread: it sets the virtual functions of its own class, which the thread may be about
// to call.
#include <thread>

struct base {
    std::thread worker;
    virtual void tick() = 0;
    void start()
    {
        worker = std::thread([this] { tick(); }); // RACE
    }
    void finish()
    {
        if (worker.joinable())
            worker.join();
    }
    virtual ~base()
    { // RACE
        finish();
    }
};

struct ticking : base {
    int ticks = 0;
    void tick() override { ticks++; }
};

int main()
{
    ticking one;
    one.start();
    return 0;
}
