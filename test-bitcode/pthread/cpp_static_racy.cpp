// irkiss: ; expect: race ; forms: nopass ; lazy: yes
//
// A static variable is initialised once, whoever comes first; what is done with it then is not protected.
#include <thread>

struct counter {
    int n;
    counter();
};

counter::counter() : n(1) {}

static counter &the_counter()
{
    static counter one;
    return one;
}

static void work()
{
    the_counter().n++; // RACE
}

int main()
{
    std::thread a(work), b(work);
    a.join();
    b.join();
    return 0;
}
