/* What the interpreter and the machine must agree on. compute(seed) uses most of the language that clang lowers to the
 * instructions of the program form; every intermediate result goes into the sum. No undefined behaviour. */
typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef signed char s8;
typedef short s16;
typedef int s32;
typedef long long s64;

static u64 sum;

static void mix(u64 x)
{
    sum = (sum ^ x) * 0x100000001b3ull;
    sum ^= sum >> 29;
}

static u64 state;

static u64 next(void)
{
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    return state >> 24;
}

/* ---- Integers of all widths. ---- */
#define ARITHMETIC(T, U, BITS) \
    static void arithmetic_##T(T a, T b) \
    { \
        U x = (U)a, y = (U)b; \
        mix((u64)(U)(x + y)); \
        mix((u64)(U)(x - y)); \
        mix((u64)(U)((u64)x * (u64)y)); \
        mix((u64)(U)(x & y) + (U)(x | y) + (U)(x ^ y)); \
        if (y != 0) { \
            mix((u64)(U)(x / y)); \
            mix((u64)(U)(x % y)); \
        } \
        if (b != 0 && b != (T)-1) { \
            mix((u64)(U)(a / b)); \
            mix((u64)(U)(a % b)); \
        } \
        mix((u64)(U)(x << (y % BITS))); \
        mix((u64)(U)(x >> (y % BITS))); \
        mix((u64)(U)(a >> (y % BITS))); \
        mix((a < b) + 2 * (a <= b) + 4 * (x < y) + 8 * (x >= y) + 16 * (a == b) + 32 * (a != b)); \
        mix((u64)(s64)a); \
        mix((u64)x); \
        U wrapped; \
        mix(__builtin_add_overflow(x, y, &wrapped)); \
        mix(wrapped); \
        T narrow; \
        mix(__builtin_mul_overflow(a, b, &narrow)); \
        mix((u64)(U)narrow); \
        mix(__builtin_sub_overflow(a, b, &narrow)); \
        mix((u64)(U)narrow); \
        mix((U)(a > b ? a : b)); \
    }
ARITHMETIC(s8, u8, 8)
ARITHMETIC(s16, u16, 16)
ARITHMETIC(s32, u32, 32)
ARITHMETIC(s64, u64, 64)

static void wide(u64 a, u64 b)
{
    unsigned __int128 product = (unsigned __int128)a * b + 7;
    __int128 negative = -(__int128)product;
    mix((u64)(product >> 64));
    mix((u64)product);
    mix((u64)(negative >> 70));
    mix((u64)(product % (b | 1)));
}

static void bits(u64 a)
{
    u32 w = (u32)a;
    mix((u64)__builtin_popcountll(a) + (u64)__builtin_popcount(w));
    mix(a ? (u64)__builtin_clzll(a) : 64);
    mix(w ? (u64)__builtin_ctz(w) : 32);
    mix(__builtin_bswap64(a) + __builtin_bswap32(w) + __builtin_bswap16((u16)w));
    mix(__builtin_rotateleft32(w, (u32)(a >> 40)) ^ __builtin_rotateright64(a, a & 63));
    mix((w << (a % 31 + 1)) | (w >> (32 - (a % 31 + 1))));
}

/* ---- Memory. ---- */
struct inner {
    u8 tag;
    u16 half;
};
struct record {
    u32 flags : 5, kind : 11, rest : 16;
    struct inner parts[3];
    u64 value;
    struct record *link;
    u64 (*method)(struct record *, u64);
};
union pun {
    u64 whole;
    u16 halves[4];
    u8 bytes[8];
};

static u64 twice(struct record *r, u64 x) { return x * 2 + r->value; }
static u64 invert(struct record *r, u64 x) { return ~x ^ r->flags; }
static struct record table[4] = {
    { .flags = 3, .value = 9, .link = &table[2], .method = twice },
    { .flags = 4, .parts = { { 1, 2 }, { 3, 4 } }, .link = &table[3], .method = invert },
    { .kind = 77, .method = twice },
    { .rest = 500, .link = &table[1], .method = invert },
};
static const char text[] = "interleaving";
static const u8 *const into = (const u8 *)&text[5];

static struct record make(u64 a)
{
    struct record r = { 0 };
    r.flags = (u32)a;
    r.kind = (u32)(a >> 5);
    r.parts[a % 3].half = (u16)(a >> 9);
    r.value = a;
    r.method = a & 1 ? twice : invert;
    return r;
}

static void memory(u64 a)
{
    struct record r = make(a), copy = r;
    copy.parts[1].tag++;
    mix(copy.flags + copy.kind * 3 + copy.parts[0].half + copy.parts[1].tag);
    mix(r.method(&copy, a));
    for (struct record *p = &table[a % 4]; p && (a & 7); p = p->link, a--)
        mix(p->method(p, a) + p->parts[1].half);
    union pun pun = { .whole = a * 0x9e3779b97f4a7c15ull };
    mix(pun.halves[a % 4] + pun.bytes[a % 8]);
    pun.bytes[3] ^= 0x55;
    mix(pun.whole);
    u8 buffer[40];
    __builtin_memset(buffer, (int)(a & 0xff), sizeof buffer);
    for (u32 n = 0; n < 16; n++)
        buffer[n] = (u8)(a >> (n * 3));
    __builtin_memmove(buffer + 3 + a % 5, buffer, 17);
    __builtin_memcpy(buffer + 30, &a, sizeof a);
    for (u32 n = 0; n < sizeof buffer; n++)
        mix(buffer[n]);
    mix((u64)(into - (const u8 *)text) + into[a % 6]);
    u32 length = (u32)(a % 6 + 1);
    u16 row[length];
    for (u32 n = 0; n < length; n++)
        row[n] = (u16)(a * n);
    mix(row[length - 1] + row[length / 2]);
}

/* ---- Control. ---- */
static u64 fibonacci(u64 n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }

static u64 dispatch(u64 a)
{
    switch (a % 11) {
    case 0: return 17;
    case 1:
    case 2: a += 5; /* fall through */
    case 7: return a * 3;
    case 9: a ^= 0xff; break;
    default: return a - 1;
    }
    for (u32 n = 0;; n++) {
        if (a & 1)
            break;
        a >>= 1;
        if (n > 10)
            goto out;
    }
out:
    return a && (a > 100 || a % 3) ? a : ~a;
}

static void atomics(u64 a)
{
    static u32 cell;
    static u8 byte;
    __atomic_store_n(&cell, (u32)a, __ATOMIC_SEQ_CST);
    mix(__atomic_fetch_add(&cell, 5, __ATOMIC_RELAXED));
    mix(__atomic_fetch_nand(&cell, (u32)(a >> 7), __ATOMIC_SEQ_CST));
    mix(__atomic_exchange_n(&byte, (u8)a, __ATOMIC_ACQUIRE));
    u8 expected = (u8)(a & 0xfe);
    mix(__atomic_compare_exchange_n(&byte, &expected, 9, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST));
    mix(expected + byte + __atomic_load_n(&cell, __ATOMIC_SEQ_CST));
}

u64 compute(u64 seed)
{
    sum = 0xcbf29ce484222325ull;
    state = seed * 77 + 1;
    for (u32 round = 0; round < 12; round++) {
        u64 a = next(), b = next();
        if (round % 3 == 0)
            b &= 0xf;
        arithmetic_s8((s8)a, (s8)b);
        arithmetic_s16((s16)a, (s16)b);
        arithmetic_s32((s32)a, (s32)b);
        arithmetic_s64((s64)(a * b), (s64)b);
        wide(a * b, b);
        bits(a * a);
        memory(a);
        atomics(a);
        mix(dispatch(a));
    }
    mix(fibonacci(seed % 12));
    return sum;
}

#ifdef NATIVE
#include <stdio.h>
int main(void)
{
    for (u64 seed = 0; seed < SEEDS; seed++)
        printf("%llu\n", compute(seed));
}
#else
u64 results[SEEDS];
void __irkiss_main(void)
{
    for (u64 seed = 0; seed < SEEDS; seed++)
        results[seed] = compute(seed);
}
#endif
