// irkiss: ; expect: race ; forms: nopass
//
// A promise without a value: that it is kept is all that the caller waits for.
#include <future>
#include <thread>

static int value;

int main()
{
    std::promise<void> done;
    auto over = done.get_future();
    std::thread worker([&done] {
        done.set_value();
        value++; // RACE
    });
    over.wait();
    value++; // RACE
    worker.join();
    return value;
}
