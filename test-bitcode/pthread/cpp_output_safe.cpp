// irkiss: ; expect: none ; forms: nopass
//
// The standard streams may be written to by many threads at once.
#include <iostream>
#include <thread>

static void work(int number) { std::cout << "thread " << number << std::endl; }

int main()
{
    std::thread one(work, 1);
    work(2);
    one.join();
    return 0;
}
