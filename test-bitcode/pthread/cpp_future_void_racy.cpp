// irkiss: expect: race ; forms: nopass
//
// A task without a result: its end is all that the caller waits for.
#include <future>

static int value;

int main()
{
    auto done = std::async(std::launch::async, [] { value++; }); // RACE
    value++; // RACE
    done.get();
    return value;
}
