// irkiss: ; expect: race ; forms: nopass ; lazy: yes
//
// A lambda has main's variable by reference.
#include <thread>

int main()
{
    int value = 0;
    std::thread a([&] {
        value++; // RACE
    });
    value++; // RACE
    a.join();
    return value;
}
