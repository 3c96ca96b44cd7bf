// irkiss: ; expect: none ; forms: nopass ; lazy: yes
//
// As cpp_lambda_racy.cpp; main waits for the thread first.
#include <thread>

int main()
{
    int value = 0;
    std::thread a([&] {
        value++; // NORACE
    });
    a.join();
    value++; // NORACE
    return value;
}
