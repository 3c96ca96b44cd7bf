/* Numbers in strings, kinds of characters, bits. */
#include "irkiss_pthread.h"

static _Bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

/* The value of a digit; 99: it is none. */
static u32 digit(char c)
{
    u32 value = c >= 'a' ? (u32)(c - 'a' + 10) : c >= 'A' ? (u32)(c - 'A' + 10) : (u32)(c - '0');
    _Bool is = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    return is ? value : 99;
}

/* Digits after which a number may no longer fit. */
#define FIT 12

enum { ERANGE = 34 };

/* The magnitude of a number, or all ones if it does not fit; and whether there is a minus. */
static u64 magnitude(const char *s, char **end, int base, _Bool *negative)
{
    u64 value = 0;
    usize n = 0, digits = 0;
    _Bool fits = 1;
    /* In a text that is not known, at most as many as --unwind says. */
    while (is_space(s[n]))
        n++;
    *negative = s[n] == '-';
    if (s[n] == '-' || s[n] == '+')
        n++;
    if ((base == 0 || base == 16) && s[n] == '0' && (s[n + 1] | 32) == 'x' && digit(s[n + 2]) < 16) {
        n += 2;
        base = 16;
    } else if (base == 0) {
        base = s[n] == '0' ? 8 : 10;
    }
    IRKISS_FOLLOWED
    while (digit(s[n]) < (u32)base) {
        u64 next = value * (u32)base + digit(s[n]);
        if (digits >= FIT && (next < value || value > ~0ull / 36))
            fits = fits && value <= (~0ull - digit(s[n])) / (u32)base;
        value = next;
        n++;
        digits++;
    }
    if (end)
        *end = (char *)(digits ? s + n : s);
    return fits ? value : ~0ull;
}

static u64 number(const char *s, char **end, int base)
{
    _Bool negative;
    u64 value = magnitude(s, end, base, &negative);
    if (value == ~0ull) {
        irkiss_set_errno(ERANGE);
        return value;
    }
    return negative ? -value : value;
}

/* Into that many bits, with a sign. */
static s64 whole(const char *s, char **end, int base, u32 bits)
{
    _Bool negative;
    u64 value = magnitude(s, end, base, &negative), most = (1ull << (bits - 1)) - 1;
    if (value > most + negative) {
        irkiss_set_errno(ERANGE);
        value = most + negative;
    }
    return (s64)(negative ? -value : value);
}

#define LONG (sizeof(long) * 8)

/* One that ends at the first byte that is no digit, of base 10. */
static u64 decimal(const char *s)
{
    u64 value = 0;
    usize n = 0;
    _Bool negative;
    /* In a text that is not known, at most as many as --unwind says. */
    while (is_space(s[n]))
        n++;
    negative = s[n] == '-';
    if (s[n] == '-' || s[n] == '+')
        n++;
    IRKISS_FOLLOWED
    while (s[n] >= '0' && s[n] <= '9') {
        value = value * 10 + (u64)(s[n] - '0');
        n++;
    }
    return negative ? -value : value;
}

int atoi(const char *s) { return (int)decimal(s); }
long atol(const char *s) { return (long)decimal(s); }
long long atoll(const char *s) { return (long long)decimal(s); }
long strtol(const char *s, char **end, int base) { return (long)whole(s, end, base, LONG); }
long __isoc23_strtol(const char *s, char **end, int base) { return (long)whole(s, end, base, LONG); }
long long strtoll(const char *s, char **end, int base) { return whole(s, end, base, 64); }
long long __isoc23_strtoll(const char *s, char **end, int base) { return whole(s, end, base, 64); }
s64 strtoimax(const char *s, char **end, int base) { return whole(s, end, base, 64); }
s64 __isoc23_strtoimax(const char *s, char **end, int base) { return whole(s, end, base, 64); }
unsigned long strtoul(const char *s, char **end, int base) { return (unsigned long)number(s, end, base); }
unsigned long __isoc23_strtoul(const char *s, char **end, int base) { return (unsigned long)number(s, end, base); }
unsigned long long strtoull(const char *s, char **end, int base) { return number(s, end, base); }
unsigned long long __isoc23_strtoull(const char *s, char **end, int base) { return number(s, end, base); }
u64 strtoumax(const char *s, char **end, int base) { return number(s, end, base); }
u64 __isoc23_strtoumax(const char *s, char **end, int base) { return number(s, end, base); }

int abs(int n) { return n < 0 ? -n : n; }
long labs(long n) { return n < 0 ? -n : n; }
long long llabs(long long n) { return n < 0 ? -n : n; }
s64 imaxabs(s64 n) { return n < 0 ? -n : n; }

struct quotient { int quotient, rest; };
struct long_quotient { long quotient, rest; };
struct quotient div(int n, int by) { return (struct quotient){ n / by, n % by }; }
struct wide_quotient { long long quotient, rest; };
struct wide_quotient lldiv(long long n, long long by) { return (struct wide_quotient){ n / by, n % by }; }
struct long_quotient ldiv(long n, long by) { return (struct long_quotient){ n / by, n % by }; }

int ffs(int n) { return n ? __builtin_ctz((u32)n) + 1 : 0; }
int ffsl(long n) { return n ? __builtin_ctzl((unsigned long)n) + 1 : 0; }
int ffsll(long long n) { return n ? __builtin_ctzll((u64)n) + 1 : 0; }

u32 htonl(u32 n) { return __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? __builtin_bswap32(n) : n; }
u32 ntohl(u32 n) { return htonl(n); }
u16 htons(u16 n) { return __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? __builtin_bswap16(n) : n; }
u16 ntohs(u16 n) { return htons(n); }

/* ---- Characters, in the C locale. ---- */
static _Bool is_upper(int c) { return c >= 'A' && c <= 'Z'; }
static _Bool is_lower(int c) { return c >= 'a' && c <= 'z'; }
static _Bool is_digit(int c) { return c >= '0' && c <= '9'; }
static _Bool is_hex(int c) { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }
static _Bool is_graphic(int c) { return c > ' ' && c < 127; }

int isupper(int c) { return is_upper(c); }
int islower(int c) { return is_lower(c); }
int isdigit(int c) { return is_digit(c); }
int isxdigit(int c) { return is_hex(c); }
int isalpha(int c) { return is_upper(c) || is_lower(c); }
int isalnum(int c) { return is_upper(c) || is_lower(c) || is_digit(c); }
int isspace(int c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
int isblank(int c) { return c == ' ' || c == '\t'; }
int iscntrl(int c) { return (c >= 0 && c < ' ') || c == 127; }
int isgraph(int c) { return is_graphic(c); }
int isprint(int c) { return is_graphic(c) || c == ' '; }
int ispunct(int c) { return is_graphic(c) && !isalnum(c); }
int isascii(int c) { return c >= 0 && c < 128; }
int toupper(int c) { return is_lower(c) ? c - 32 : c; }
int tolower(int c) { return is_upper(c) ? c + 32 : c; }
int toascii(int c) { return c & 127; }

/* glibc's tables, from -128 to 255; its bits are in network order of bytes. */
#define BIT(n) (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? 1 << (n) : (n) < 8 ? (1 << (n)) << 8 : (1 << (n)) >> 8)
#define UP(c) ((c) >= 'A' && (c) <= 'Z')
#define LOW(c) ((c) >= 'a' && (c) <= 'z')
#define DIG(c) ((c) >= '0' && (c) <= '9')
#define HEX(c) (DIG(c) || ((c) >= 'a' && (c) <= 'f') || ((c) >= 'A' && (c) <= 'F'))
#define GRAPHIC(c) ((c) > ' ' && (c) < 127)
#define KIND(c) \
    ((UP(c) ? BIT(0) : 0) | (LOW(c) ? BIT(1) : 0) | (UP(c) || LOW(c) ? BIT(2) : 0) | (DIG(c) ? BIT(3) : 0) | \
     (HEX(c) ? BIT(4) : 0) | ((c) == ' ' || ((c) >= 9 && (c) <= 13) ? BIT(5) : 0) | \
     (GRAPHIC(c) || (c) == ' ' ? BIT(6) : 0) | (GRAPHIC(c) ? BIT(7) : 0) | ((c) == ' ' || (c) == 9 ? BIT(8) : 0) | \
     (((c) >= 0 && (c) < ' ') || (c) == 127 ? BIT(9) : 0) | \
     (GRAPHIC(c) && !UP(c) && !LOW(c) && !DIG(c) ? BIT(10) : 0) | (UP(c) || LOW(c) || DIG(c) ? BIT(11) : 0))
#define LOWERED(c) (UP(c) ? (c) + 32 : (c))
#define UPPERED(c) (LOW(c) ? (c) - 32 : (c))
#define TWO(f, c) f(c), f((c) + 1)
#define FOUR(f, c) TWO(f, c), TWO(f, (c) + 2)
#define EIGHT(f, c) FOUR(f, c), FOUR(f, (c) + 4)
#define SIXTEEN(f, c) EIGHT(f, c), EIGHT(f, (c) + 8)
#define SIXTY_FOUR(f, c) SIXTEEN(f, c), SIXTEEN(f, (c) + 16), SIXTEEN(f, (c) + 32), SIXTEEN(f, (c) + 48)
#define ALL(f) SIXTY_FOUR(f, -128), SIXTY_FOUR(f, -64), SIXTY_FOUR(f, 0), SIXTY_FOUR(f, 64), SIXTY_FOUR(f, 128), SIXTY_FOUR(f, 192)

static const u16 kinds[384] = { ALL(KIND) };
static const s32 lowered[384] = { ALL(LOWERED) };
static const s32 uppered[384] = { ALL(UPPERED) };
static const u16 *const kinds_at_zero = kinds + 128;
static const s32 *const lowered_at_zero = lowered + 128;
static const s32 *const uppered_at_zero = uppered + 128;

const u16 **__ctype_b_loc(void) { return (const u16 **)&kinds_at_zero; }
const s32 **__ctype_tolower_loc(void) { return (const s32 **)&lowered_at_zero; }
const s32 **__ctype_toupper_loc(void) { return (const s32 **)&uppered_at_zero; }
usize __ctype_get_mb_cur_max(void) { return 1; }
