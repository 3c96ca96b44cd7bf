// irkiss: --work 400k ; expect: race ; forms: nopass ; lazy: yes
//
// What std::async runs is beside its caller until the caller asks for the result.
#include <future>

static int value;

static int work(int n)
{
    value += n; // RACE
    return 1;
}

int main()
{
    auto result = std::async(std::launch::async, work, 1);
    value++; // RACE
    return result.get();
}
