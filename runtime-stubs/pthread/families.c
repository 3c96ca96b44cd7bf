/* Whole families of functions whose results are in buffers of all threads, or that remember something from one call to the next: memory
 * like any other, of which a race is told (IRKISS_HIDDEN). Those of glibc's manual that are MT-Unsafe; hidden.c has the first of them. */
#include "irkiss_pthread.h"

void __irkiss_print_string(const char *s, u64 precision);
int strcmp(const char *a, const char *b);

#define WHOLE(s) __irkiss_print_string(s, ~0ull)

/* ---- Texts. ---- */
#define TEXT 20

static char *fill(char *text)
{
    __irkiss_havoc(text, TEXT - 1);
    text[TEXT - 1] = 0;
    return text;
}

static char *fill_or_fail(char *text) { return __irkiss_nondet_bool() ? NULL : fill(text); }

IRKISS_HIDDEN static char crypt_text[TEXT], digits_text[TEXT], l64a_text[TEXT], ptsname_text[TEXT], tmpnam_text[TEXT], user_text[TEXT],
    ether_text[TEXT], password_text[TEXT], shell_text[TEXT], expression_text[TEXT];

IRKISS_ANY_ANSWER
char *crypt(const char *key, const char *salt)
{
    WHOLE(key);
    WHOLE(salt);
    return fill_or_fail(crypt_text);
}

/* glibc has one buffer for both. */
IRKISS_ANY_ANSWER
static char *digits(int *point, int *sign)
{
    *point = (int)__irkiss_nondet_u32();
    *sign = __irkiss_nondet_bool();
    return fill(digits_text);
}

char *ecvt(double number, int count, int *point, int *sign) { (void)number, (void)count; return digits(point, sign); }
char *fcvt(double number, int count, int *point, int *sign) { (void)number, (void)count; return digits(point, sign); }

IRKISS_ANY_ANSWER
char *l64a(long number) { (void)number; return fill(l64a_text); }
char *ptsname(int file) { (void)file; return fill_or_fail(ptsname_text); }
char *tmpnam(char *to) { return fill_or_fail(to ? to : tmpnam_text); }

/* L_cuserid is 9. */
char *cuserid(char *to)
{
    char *text = to ? to : user_text;
    __irkiss_havoc(text, 8);
    text[8] = 0;
    return text;
}

char *getpass(const char *prompt)
{
    WHOLE(prompt);
    return fill_or_fail(password_text);
}

IRKISS_ANY_ANSWER
char *ether_ntoa(const void *address)
{
    __irkiss_touch(address, 6);
    return fill(ether_text);
}

char *getusershell(void) { return fill_or_fail(shell_text); }
void setusershell(void) { fill(shell_text); }
void endusershell(void) { fill(shell_text); }

/* Null, or what is wrong; the expression is kept. */
char *re_comp(const char *expression)
{
    WHOLE(expression);
    fill(expression_text);
    return __irkiss_nondet_bool() ? NULL : fill(__irkiss_alloc(TEXT, 0));
}

IRKISS_ANY_ANSWER
int re_exec(const char *text)
{
    WHOLE(text);
    __irkiss_touch(expression_text, TEXT);
    return (int)__irkiss_nondet_u32();
}

/* glibc has one for each thread. */
IRKISS_ASSUMES("glibc-protects")
char *dlerror(void) { return fill_or_fail(__irkiss_alloc(TEXT, 0)); }

/* ---- The locale: setlocale takes a lock, those who look at it do not (glibc: const:locale, race:localeconv). ---- */
IRKISS_HIDDEN static u8 locale;

struct conventions {
    char *texts[10];
    char numbers[16];
};
IRKISS_HIDDEN static struct conventions conventions;

IRKISS_ASSUMES("glibc-protects")
char *setlocale(int category, const char *name)
{
    (void)category;
    if (name) {
        WHOLE(name);
        IRKISS_ATOMIC(__irkiss_havoc(&locale, 1));
    }
    return fill_or_fail(__irkiss_alloc(TEXT, 0));
}

char *nl_langinfo(int item)
{
    (void)item;
    __irkiss_touch(&locale, 1);
    return fill(__irkiss_alloc(TEXT, 0));
}

struct conventions *localeconv(void)
{
    char *text = fill(__irkiss_alloc(TEXT, 0));
    __irkiss_touch(&locale, 1);
    IRKISS_TO_THE_END
    for (u32 n = 0; n < 10; n++)
        conventions.texts[n] = text;
    __irkiss_havoc(conventions.numbers, sizeof conventions.numbers);
    return &conventions;
}

/* ---- Characters of several bytes: each function remembers what of one it has read, unless the program gives it a place. ---- */
IRKISS_HIDDEN static u64 mblen_state, mbtowc_state, wctomb_state, mbrlen_state, mbrtowc_state, wcrtomb_state;

static void remember(u64 *state) { __irkiss_havoc(state, sizeof *state); }

/* So many bytes of a text are a character; -1: none is. */
static int bytes_of(const char *text, usize most)
{
    u32 length = __irkiss_nondet_u8() & 7;
    if (text && most)
        __irkiss_touch(text, 1);
    return length <= most ? (int)length : -1;
}

IRKISS_ANY_ANSWER
int mblen(const char *text, usize most)
{
    remember(&mblen_state);
    return bytes_of(text, most);
}

static void put_wide(u32 *to)
{
    if (to)
        *to = __irkiss_nondet_u32();
}

IRKISS_ANY_ANSWER
int mbtowc(u32 *to, const char *text, usize most)
{
    remember(&mbtowc_state);
    put_wide(to);
    return bytes_of(text, most);
}

IRKISS_ANY_ANSWER
usize mbrlen(const char *text, usize most, u64 *state)
{
    remember(state ? state : &mbrlen_state);
    return (usize)(ssize)bytes_of(text, most);
}

IRKISS_ANY_ANSWER
usize mbrtowc(u32 *to, const char *text, usize most, u64 *state)
{
    remember(state ? state : &mbrtowc_state);
    put_wide(to);
    return (usize)(ssize)bytes_of(text, most);
}

static int put_bytes(char *to)
{
    u32 length = 1 + (__irkiss_nondet_u8() & 3);
    if (!to)
        return 1;
    IRKISS_TO_THE_END
    for (u32 n = 0; n < 4; n++)
        if (n < length)
            to[n] = (char)__irkiss_nondet_u8();
    return (int)length;
}

IRKISS_ANY_ANSWER
int wctomb(char *to, u32 character)
{
    (void)character;
    remember(&wctomb_state);
    return put_bytes(to);
}

IRKISS_ANY_ANSWER
usize wcrtomb(char *to, u32 character, u64 *state)
{
    (void)character;
    remember(state ? state : &wcrtomb_state);
    return (usize)put_bytes(to);
}

/* ---- Random numbers: more of the drand48 family (glibc: MT-Unsafe race:drand48). ---- */
IRKISS_HIDDEN static u16 seed[3], factor[7];

u16 *seed48(u16 *new)
{
    __irkiss_touch(new, 6);
    __irkiss_havoc(seed, sizeof seed);
    return seed;
}

void lcong48(u16 *new)
{
    __irkiss_touch(new, 14);
    __irkiss_havoc(factor, sizeof factor);
}

static u32 draw(u16 *own)
{
    __irkiss_touch(factor, sizeof factor);
    __irkiss_havoc(own, 6);
    return __irkiss_nondet_u32();
}

double erand48(u16 *own) { return draw(own) / 4294967296.0; }
long nrand48(u16 *own) { return (long)(draw(own) & 0x7fffffffu); }
long jrand48(u16 *own) { return (long)(s32)draw(own); }

/* ---- The table of hsearch: one of all threads. ---- */
struct item {
    char *key;
    void *data;
};

#define ITEMS 4
IRKISS_HIDDEN static u8 search_table;
static struct item *items[ITEMS];
static u32 entered;

int hcreate(usize most)
{
    (void)most;
    __irkiss_havoc(&search_table, 1);
    return __irkiss_nondet_bool();
}

void hdestroy(void)
{
    __irkiss_havoc(&search_table, 1);
    IRKISS_ATOMIC(entered = 0);
}

struct item *hsearch(struct item item, int enter)
{
    u32 now;
    __irkiss_touch(&search_table, 1);
    IRKISS_ATOMIC(now = entered);
    IRKISS_TO_THE_END
    for (u32 n = 0; n < ITEMS; n++) {
        struct item *there;
        if (n >= now)
            break;
        IRKISS_ATOMIC(there = items[n]);
        if (strcmp(there->key, item.key) == 0)
            return there;
    }
    if (!enter || __irkiss_nondet_bool())
        return NULL;
    __irkiss_havoc(&search_table, 1);
    struct item *made = __irkiss_alloc(sizeof *made, 0);
    *made = item;
    __irkiss_atomic_begin();
    now = entered;
    if (now >= ITEMS)
        __irkiss_unsupported("more than 4 entries of hsearch");
    items[now] = made;
    entered = now + 1;
    __irkiss_atomic_end();
    return made;
}

/* ---- Entries of tables of the system, one object for each function; what pointers in them lead to is not known. ---- */
#define ENTRY 64
IRKISS_HIDDEN static u8 pw_entry[ENTRY], gr_entry[ENTRY], sp_entry[ENTRY], host_entry[ENTRY], net_entry[ENTRY], protocol_entry[ENTRY],
    service_entry[ENTRY], user_entry[ENTRY * 6], terminal_entry[ENTRY], mount_entry[ENTRY], date_entry[ENTRY];

static void *pointers(u8 *object)
{
    void **words = (void **)object;
    if (__irkiss_nondet_bool())
        return NULL;
    IRKISS_TO_THE_END
    for (usize n = 0; n < ENTRY / sizeof *words; n++)
        words[n] = __irkiss_nondet_ptr();
    return object;
}

void *getpwent(void) { return pointers(pw_entry); }
void setpwent(void) { __irkiss_havoc(pw_entry, 1); }
void endpwent(void) { __irkiss_havoc(pw_entry, 1); }
void *getgrent(void) { return pointers(gr_entry); }
void setgrent(void) { __irkiss_havoc(gr_entry, 1); }
void endgrent(void) { __irkiss_havoc(gr_entry, 1); }
void *getspent(void) { return pointers(sp_entry); }
void *getspnam(const char *name) { WHOLE(name); return pointers(sp_entry); }
void *gethostent(void) { return pointers(host_entry); }
void *getnetent(void) { return pointers(net_entry); }
void *getnetbyname(const char *name) { WHOLE(name); return pointers(net_entry); }
void *getprotoent(void) { return pointers(protocol_entry); }
void *getprotobyname(const char *name) { WHOLE(name); return pointers(protocol_entry); }
void *getprotobynumber(int number) { (void)number; return pointers(protocol_entry); }
void *getservent(void) { return pointers(service_entry); }
void *getttyent(void) { return pointers(terminal_entry); }
void *getmntent(void *file) { (void)file; return pointers(mount_entry); }

/* struct utmpx has no pointers. */
void *getutxent(void)
{
    __irkiss_havoc(user_entry, sizeof user_entry);
    return __irkiss_nondet_bool() ? NULL : user_entry;
}

void setutxent(void) { __irkiss_havoc(user_entry, 1); }
void endutxent(void) { __irkiss_havoc(user_entry, 1); }

/* struct tm: the first nine numbers. */
void *getdate(const char *text)
{
    WHOLE(text);
    __irkiss_havoc(date_entry, 36);
    return __irkiss_nondet_bool() ? NULL : date_entry;
}
