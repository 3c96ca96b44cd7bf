// irkiss: --work 400k ; expect: none ; forms: nopass ; lazy: yes
//
// Who comes second to a static variable waits until it is initialised, and reads it then.
#include <thread>

struct number {
    int n;
    number();
};

number::number() : n(1) {}

static number &the_number()
{
    static number one;
    return one;
}

static int seen[2];

int main()
{
    std::thread a([] { seen[0] = the_number().n; }), b([] { seen[1] = the_number().n; });
    a.join();
    b.join();
    return seen[0] + seen[1];
}
