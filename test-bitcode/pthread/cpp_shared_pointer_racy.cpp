// irkiss: ; expect: race ; forms: nopass
//
// A std::shared_ptr that is replaced by a function for atomic access, and read as it stands.
#include <memory>
#include <thread>

static std::shared_ptr<int> current = std::make_shared<int>(1);

int main()
{
    int seen = 0;
    std::thread reader([&seen] {
        auto own = current; // RACE
        seen = *own;
    }); // RACE?
    std::atomic_store(&current, std::make_shared<int>(2)); // RACE
    reader.join();
    return seen;
}
