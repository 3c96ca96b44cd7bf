// irkiss: ; expect: none ; forms: nopass
//
// A std::shared_ptr that is read and replaced by the functions for atomic access.
#include <memory>
#include <thread>

static std::shared_ptr<int> current = std::make_shared<int>(1);

int main()
{
    int seen = 0;
    std::thread reader([&seen] {
        auto own = std::atomic_load(&current);
        seen = *own;
    });
    std::atomic_store(&current, std::make_shared<int>(2));
    reader.join();
    return seen;
}
