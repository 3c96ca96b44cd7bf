// irkiss: ; expect: none ; forms: nopass ; lazy: yes
//
// As cpp_future_racy.cpp; the caller has asked for the result before.
#include <future>

static int value;

static int work(int n)
{
    value += n; // NORACE
    return 1;
}

int main()
{
    auto result = std::async(std::launch::async, work, 1);
    int got = result.get();
    value++; // NORACE
    return got;
}
