// irkiss: ; expect: race ; forms: nopass
//
// The standard streams may be written to by many threads at once; what is written is memory like any other.
#include <iostream>
#include <thread>

static int count;

static void work() { std::cout << "so far " << count << std::endl; } // RACE

int main()
{
    std::thread one(work);
    count++; // RACE
    one.join();
    return 0;
}
