// irkiss: ; expect: none
//
// As return_codes.c: heap and strings.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static void others(void)
{
    int *numbers;

    numbers = calloc(2, sizeof *numbers);
    assert(numbers[0] == 0 && numbers[1] == 0);
    numbers[1] = 7;
    numbers = realloc(numbers, 4 * sizeof *numbers);
    assert(numbers[1] == 7);
    free(numbers);
    assert(strlen("") == 0 && strcmp("a", "a") == 0 && strcmp("a", "b") < 0 && strcmp("b", "a") > 0);
    assert(memcmp("a", "b", 1) < 0 && strchr("a", 'b') == NULL && atoi("7") == 7);
}

static void *worker(void *argument)
{
    return argument;
}

int main(void)
{
    pthread_t thread;
    void *result;

    others();
    assert(pthread_create(&thread, NULL, worker, &thread) == 0);
    assert(pthread_join(thread, &result) == 0);
    assert(result == &thread);
    return 0;
}
