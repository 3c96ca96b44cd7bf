// irkiss: --property deadlock ; expect: finds ; forms: nopass
//
// Who waits for a future waits for ever if nobody sets its value: where work fails, the promise is forgotten.
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
            return;
        std::free(memory);
        promise.set_value(1);
    });
    answer.wait(); // FINDS:deadlock
    worker.join();
    return 0;
}
