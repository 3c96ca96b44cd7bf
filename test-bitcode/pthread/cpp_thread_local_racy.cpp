// irkiss: ; expect: race ; forms: nopass
//
// Each thread has a count of its own, which is added to a common one when the thread ends.
#include <thread>

static int total;

struct count {
    int own = 0;
    ~count() { total += own; } // RACE
};
static thread_local count counted;

static void work() { counted.own++; }

int main()
{
    std::thread one(work), other(work);
    one.join();
    other.join();
    return total;
}
