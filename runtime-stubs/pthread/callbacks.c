/* Functions of the C library that call the program back: sorting, searching, walking. */
#include "irkiss_pthread.h"

void *malloc(usize size);

/* Arrays of so many elements are sorted as they are; of longer ones elements are compared in pairs that may be any. */
#define EXACT 32
/* Elements among which lfind looks. */
#define LOOKED_AT 16

typedef int comparison(const void *a, const void *b);
typedef int comparison_with(const void *a, const void *b, void *argument);

/* How two elements compare, in either form. */
struct how {
    comparison *plain;
    comparison_with *with;
    void *argument;
};

static void swap(u8 *a, u8 *b, usize size)
{
    u8 *between = __irkiss_alloc(size, 0);
    __builtin_memcpy(between, a, size);
    __builtin_memcpy(a, b, size);
    __builtin_memcpy(b, between, size);
    __irkiss_free(between);
}

static usize below(usize count)
{
    u64 n = __irkiss_nondet_u64();
    return n < count ? (usize)n : count - 1;
}

static void order(u8 *a, u8 *b, usize size, struct how how)
{
    if ((how.plain ? how.plain(a, b) : how.with(a, b, how.argument)) > 0)
        swap(a, b, size);
}

/* What is sorted afterwards is not known: any two have been looked at, and may have changed places. */
IRKISS_ANY_ANSWER
static void sort_in_part(u8 *first, usize count, usize size, struct how how)
{
    u8 *a = first + below(count) * size, *b = first + below(count) * size;
    order(a, b, size, how);
    a = first + below(count) * size, b = first + below(count) * size;
    swap(a, b, size);
}

/* Batcher's network of so many elements: which two are compared does not depend on what they are (Knuth, 5.3.4, algorithm M of 5.2.2). */
static void network(u8 *first, usize count, usize size, struct how how, usize all)
{
    IRKISS_TO_THE_END
    for (usize p = all / 2; p > 0; p /= 2) {
        usize q = all / 2, r = 0, d = p;
        IRKISS_TO_THE_END
        for (;;) {
            IRKISS_TO_THE_END
            for (usize n = 0; n + d < all; n++)
                if ((n & p) == r && n + d < count)
                    order(first + n * size, first + (n + d) * size, size, how);
            if (q == p)
                break;
            d = q - p;
            q /= 2;
            r = p;
        }
    }
}

static void sort(u8 *first, usize count, usize size, struct how how)
{
    if (count < 2)
        return;
    if (count <= 4)
        network(first, count, size, how, 4);
    else if (count <= 8)
        network(first, count, size, how, 8);
    else if (count <= 16)
        network(first, count, size, how, 16);
    else if (count <= EXACT)
        network(first, count, size, how, EXACT);
    else
        sort_in_part(first, count, size, how);
}

IRKISS_ASSUMES("sorted-in-part")
void qsort(void *base, usize count, usize size, comparison *compare)
{
    struct how how = {compare, NULL, NULL};
    sort(base, count, size, how);
}

IRKISS_ASSUMES("sorted-in-part")
void qsort_r(void *base, usize count, usize size, comparison_with *compare, void *argument)
{
    struct how how = {NULL, compare, argument};
    sort(base, count, size, how);
}

/* As glibc goes about it (stdlib/bsearch.c): halves. */
void *bsearch(const void *key, const void *base, usize count, usize size, comparison *compare)
{
    const u8 *first = base;
    usize from = 0, to = count;
    IRKISS_FOLLOWED
    while (from < to) {
        usize middle = (from + to) / 2;
        const u8 *element = first + middle * size;
        int result = compare(key, element);
        if (result == 0)
            return (void *)element;
        if (result < 0)
            to = middle;
        else
            from = middle + 1;
    }
    return NULL;
}

/* Of a long array one element is looked at, and another. */
IRKISS_ANY_ANSWER
static void *find_in_part(const void *key, const u8 *first, usize count, usize size, comparison *compare)
{
    const u8 *element = first + below(count) * size;
    if (compare(key, element) == 0)
        return (void *)element;
    element = first + below(count) * size;
    return compare(key, element) == 0 ? (void *)element : NULL;
}

IRKISS_ASSUMES("sorted-in-part")
void *lfind(const void *key, const void *base, usize *count, usize size, comparison *compare)
{
    const u8 *first = base;
    if (*count > LOOKED_AT)
        return find_in_part(key, first, *count, size, compare);
    for (usize n = 0; n < LOOKED_AT; n++)
        if (n < *count && compare(key, first + n * size) == 0)
            return (void *)(first + n * size);
    return NULL;
}

IRKISS_ASSUMES("sorted-in-part")
void *lsearch(const void *key, void *base, usize *count, usize size, comparison *compare)
{
    void *found = lfind(key, base, count, size, compare);
    if (found)
        return found;
    found = (u8 *)base + *count * size;
    __builtin_memcpy(found, key, size);
    *count += 1;
    return found;
}

/* ---- Trees (search.h): here lists. A node begins with the key's address. ---- */
struct node {
    const void *key;
    struct node *next;
};

void *tfind(const void *key, void *const *root, comparison *compare)
{
    struct node *node = *root;
    IRKISS_FOLLOWED
    while (node) {
        if (compare(key, node->key) == 0)
            return node;
        node = node->next;
    }
    return NULL;
}

void *tsearch(const void *key, void **root, comparison *compare)
{
    struct node *node = tfind(key, root, compare);
    if (node)
        return node;
    node = malloc(sizeof *node);
    node->key = key;
    node->next = *root;
    *root = node;
    return node;
}

void *tdelete(const void *key, void **root, comparison *compare)
{
    struct node *node = *root;
    struct node **from = (struct node **)root;
    IRKISS_FOLLOWED
    while (node) {
        if (compare(key, node->key) == 0) {
            *from = node->next;
            __irkiss_free(node);
            return root;
        }
        from = &node->next;
        node = node->next;
    }
    return NULL;
}

/* Each node is a leaf. */
void twalk(const void *root, void (*action)(const void *node, int order, int depth))
{
    const struct node *node = root;
    IRKISS_FOLLOWED
    while (node) {
        action(node, 3, 0);
        node = node->next;
    }
}

void tdestroy(void *root, void (*free_key)(void *key))
{
    struct node *node = root;
    IRKISS_FOLLOWED
    while (node) {
        struct node *next = node->next;
        free_key((void *)node->key);
        __irkiss_free(node);
        node = next;
    }
}

/* ---- Walks over files: any number of files, of any name and state. ---- */
static char *name(void)
{
    char *string = __irkiss_lazy(16, "name of a file");
    IRKISS_ATOMIC(string[15] = 0);
    return string;
}

int ftw(const char *path, int (*function)(const char *, const void *, int), int files)
{
    (void)path, (void)files;
    int result = 0;
    while (result == 0 && __irkiss_nondet_bool())
        result = function(name(), __irkiss_lazy(144, "struct stat"), (int)(__irkiss_nondet_u8() & 3));
    return result;
}

int nftw(const char *path, int (*function)(const char *, const void *, int, void *), int files, int flags)
{
    (void)path, (void)files, (void)flags;
    int result = 0;
    while (result == 0 && __irkiss_nondet_bool()) {
        void *stat = __irkiss_lazy(144, "struct stat"), *base = __irkiss_lazy(8, "struct FTW");
        result = function(name(), stat, (int)(__irkiss_nondet_u8() & 3), base);
    }
    return result;
}

/* ---- A directory: two entries at most, of any name. ---- */
#define ENTRY 280
/* Where the name is (struct dirent of glibc), and how long it may be. */
#define AT 19
#define LENGTH 8

int strcmp(const char *a, const char *b);
int alphasort(const void **a, const void **b) { return strcmp((const char *)*a + AT, (const char *)*b + AT); }

static void *entry(void)
{
    u8 *made = malloc(ENTRY);
    __irkiss_havoc(made, AT + LENGTH);
    made[AT + LENGTH] = 0;
    return made;
}

/* Entries are the caller's to free. */
int scandir(const char *path, void ***entries, int (*filter)(const void *), comparison *compare)
{
    __irkiss_touch(path, 1);
    if (__irkiss_nondet_bool())
        return -1;
    void **list = malloc(2 * sizeof *list);
    int count = 0;
    IRKISS_TO_THE_END
    for (int n = 0; n < 2; n++) {
        if (__irkiss_nondet_bool())
            continue;
        void *one = entry();
        if (!filter || filter(one))
            list[count++] = one;
        else
            __irkiss_free(one);
    }
    if (compare && count == 2) {
        if (compare(&list[0], &list[1]) > 0) {
            void *first = list[0];
            list[0] = list[1];
            list[1] = first;
        }
    }
    *entries = list;
    return count;
}
