// irkiss: --property deadlock ; expect: none ; forms: nopass
//
// Where work fails, the program ends; else the value of the future is set.
#include <cstdlib>
#include <future>
#include <thread>

int main()
{
    std::promise<int> promise;
    std::future<int> answer = promise.get_future();
    std::thread worker([&promise] {
        void *memory = std::calloc(1, 16);
        if (!memory)
            std::abort();
        std::free(memory);
        promise.set_value(1);
    });
    answer.wait();
    worker.join();
    return 0;
}
