// irkiss: ; expect: none ; forms: nopass
//
// Each thread has a count of its own, which is added to a common one when the thread ends: who joins the thread comes after that.
#include <thread>

static int total;

struct count {
    int own = 0;
    ~count() { total += own; }
};
static thread_local count counted;

static void work() { counted.own++; }

int main()
{
    std::thread one(work);
    one.join();
    std::thread other(work);
    other.join();
    return total;
}
