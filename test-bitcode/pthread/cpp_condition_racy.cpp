// irkiss: ; expect: race ; forms: nopass ; lazy: yes
//
// As cpp_condition_safe.cpp; main changes the value once more after it was handed over.
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
    value++; // RACE
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
    value = 2; // RACE
    a.join();
    return value;
}
