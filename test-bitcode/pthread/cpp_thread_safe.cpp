// irkiss: --work 400k ; expect: none ; forms: nopass ; lazy: yes
//
// Two std::threads count under a std::mutex; main looks when they have ended.
#include <mutex>
#include <thread>

static int count;
static std::mutex lock;

static void work()
{
    std::lock_guard<std::mutex> guard(lock);
    count++;
}

int main()
{
    std::thread a(work), b(work);
    a.join();
    b.join();
    return count;
}
