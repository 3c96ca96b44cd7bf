// irkiss: ; expect: unknown ; reason: what a stream does with a buffer that the program gives it ; forms: nopass
//
// What is written to a stream with a buffer of the program's own calls that buffer.
#include <ostream>
#include <streambuf>
#include <thread>

static int count;

struct Counts : std::streambuf {
    int overflow(int c) override
    {
        count++; // RACE?
        return c;
    }
};

static void work()
{
    static std::ostream *out = new std::ostream(new Counts);
    *out << "one";
}

int main()
{
    std::thread one(work);
    count++; // RACE?
    one.join();
    return 0;
}
