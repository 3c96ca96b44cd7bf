// irkiss: expect: none ; forms: nopass
//
// A task without a result: once its end was waited for, it is over.
#include <future>

static int value;

int main()
{
    auto done = std::async(std::launch::async, [] { value++; });
    done.get();
    value++;
    return value;
}
