// irkiss: ; expect: race ; forms: nopass ; lazy: yes
//
// Two std::threads count without a lock.
#include <thread>

static int count;

static void work()
{
    count++; // RACE
}

int main()
{
    std::thread a(work), b(work);
    a.join();
    b.join();
    return count;
}
