// irkiss: ; expect: none ; forms: nopass ; lazy: yes
//
// A value is handed over by a std::condition_variable and a flag.
#include <condition_variable>
#include <mutex>
#include <thread>

static int value;
static bool ready;
static std::mutex lock;
static std::condition_variable changed;

static void work()
{
    std::unique_lock<std::mutex> guard(lock);
    changed.wait(guard, [] { return ready; });
    value++;
}

int main()
{
    std::thread a(work);
    {
        std::lock_guard<std::mutex> guard(lock);
        value = 1;
        ready = true;
    }
    changed.notify_one();
    a.join();
    return value;
}
