// irkiss: ; expect: none ; forms: nopass
//
// A promise without a value: once it is kept, what comes before is over.
#include <future>
#include <thread>

static int value;

int main()
{
    std::promise<void> done;
    auto over = done.get_future();
    std::thread worker([&done] {
        value++;
        done.set_value();
    });
    over.wait();
    value++;
    worker.join();
    return value;
}
