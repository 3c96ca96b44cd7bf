// irkiss: ; expect: unknown ; reason: calls a function with arguments of any number ; forms: nopass
//
// What a function of others calls, with which of the arguments that it is given beyond its parameters, nothing tells.
void start_all(int threads, void (*each)(int *), ...);

static void add(int *sum) { ++*sum; }

int main(void)
{
    int sum = 0;

    start_all(2, add, &sum);
    return sum;
}
