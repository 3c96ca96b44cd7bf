// irkiss: ; expect: none ; forms: nopass ; lazy: yes
//
// Functions of the C library and of the compiler's, by names that clang does not know better: memory, atomic objects that no instruction
// can access, time, numbers.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>

extern void copy(const void *, void *, size_t) __asm__("bcopy"), clear(void *, size_t) __asm__("bzero");
extern void *copy_and_go_on(void *, const void *, size_t) __asm__("mempcpy");
extern void *copy_checked(void *, const void *, size_t, size_t) __asm__("__memcpy_chk");
extern void *move_checked(void *, const void *, size_t, size_t) __asm__("__memmove_chk");
extern void *set_checked(void *, int, size_t, size_t) __asm__("__memset_chk");
extern void *aligned(size_t, size_t) __asm__("aligned_alloc"), *aligned_too(size_t, size_t) __asm__("memalign"), *paged(size_t) __asm__("valloc");

static void memory(void)
{
    char text[4] = "ab", other[4] = "xyz";
    void *object = NULL;

    copy("cd", text, 2);
    assert(text[0] == 'c' && text[1] == 'd' && text[2] == 0);
    clear(text, 1);
    assert(text[0] == 0 && text[1] == 'd');
    assert(copy_and_go_on(text, "ef", 2) == text + 2 && text[0] == 'e' && text[1] == 'f');
    assert(copy_checked(other, text, 2, 4) == other && other[0] == 'e' && other[1] == 'f' && other[2] == 'z');
    assert(move_checked(other + 1, other, 2, 3) == other + 1 && other[1] == 'e' && other[2] == 'f');
    assert(set_checked(other, 'g', 2, 4) == other && other[0] == 'g' && other[1] == 'g' && other[2] == 'f');
    assert(aligned(16, 16) && aligned_too(16, 16) && paged(16));
    assert(posix_memalign(&object, 16, 16) == 0 && object);
}

extern void load(size_t, void *, void *, int) __asm__("__atomic_load"), store(size_t, void *, void *, int) __asm__("__atomic_store");
extern void exchange(size_t, void *, void *, void *, int) __asm__("__atomic_exchange");
extern _Bool compare_exchange(size_t, void *, void *, void *, int, int) __asm__("__atomic_compare_exchange");
extern _Bool is_lock_free(size_t, void *) __asm__("__atomic_is_lock_free");

static void wide_objects(void)
{
    long object[3] = { 1, 2, 3 }, other[3] = { 0 }, old[3] = { 0 };

    load(sizeof(object), object, other, 5);
    assert(other[0] == 1 && other[2] == 3);
    other[2] = 4;
    store(sizeof(object), object, other, 5);
    assert(object[2] == 4);
    other[2] = 5;
    exchange(sizeof(object), object, other, old, 5);
    assert(object[2] == 5 && old[2] == 4);
    assert(!compare_exchange(sizeof(object), object, old, other, 5, 5) && old[2] == 5);
    other[2] = 6;
    assert(compare_exchange(sizeof(object), object, old, other, 5, 5) && object[2] == 6);
    assert(is_lock_free(4, NULL) && !is_lock_free(64, NULL));
}

typedef unsigned long long word;
extern word load_8(word *, int) __asm__("__atomic_load_8"), exchange_8(word *, word, int) __asm__("__atomic_exchange_8");
extern void store_8(word *, word, int) __asm__("__atomic_store_8");
extern _Bool compare_exchange_8(word *, word *, word, int, int) __asm__("__atomic_compare_exchange_8");
extern word add_8(word *, word, int) __asm__("__atomic_fetch_add_8"), sub_8(word *, word, int) __asm__("__atomic_fetch_sub_8");
extern word and_8(word *, word, int) __asm__("__atomic_fetch_and_8"), or_8(word *, word, int) __asm__("__atomic_fetch_or_8");
extern word xor_8(word *, word, int) __asm__("__atomic_fetch_xor_8");

static void words(void)
{
    word object = 6, expected = 5;

    assert(load_8(&object, 5) == 6);
    store_8(&object, 7, 5);
    assert(object == 7 && exchange_8(&object, 8, 5) == 7 && object == 8);
    assert(!compare_exchange_8(&object, &expected, 1, 5, 5) && expected == 8 && object == 8);
    assert(compare_exchange_8(&object, &expected, 1, 5, 5) && object == 1);
    assert(add_8(&object, 4, 5) == 1 && object == 5);
    assert(sub_8(&object, 2, 5) == 5 && object == 3);
    assert(and_8(&object, 2, 5) == 3 && object == 2);
    assert(or_8(&object, 5, 5) == 2 && object == 7);
    assert(xor_8(&object, 1, 5) == 7 && object == 6);
}

static void numbers(void)
{
    struct timespec precise = { -1, 0 };
    struct timeval rough = { -1, 0 };
    unsigned int seed = 1;
    time_t now = 0;

    assert(clock_gettime(CLOCK_MONOTONIC, &precise) == 0 && gettimeofday(&rough, NULL) == 0);
    assert(time(&now) == now && rand_r(&seed) >= 0 && atexit(numbers) == 0);
}

extern int input(void) __asm__("getchar"), input_of(void *) __asm__("getc"), input_by_call(void *) __asm__("fgetc");

static void characters(void)
{
    int first = input(), second = input_of(NULL), third = input_by_call(NULL);

    assert(first >= -1 && first <= 255 && second >= -1 && second <= 255 && third >= -1 && third <= 255);
}

static void *other_thread(void *argument)
{
    return argument;
}

int main(void)
{
    pthread_t thread;

    memory();
    wide_objects();
    words();
    numbers();
    characters();
    return pthread_create(&thread, NULL, other_thread, NULL);
}
