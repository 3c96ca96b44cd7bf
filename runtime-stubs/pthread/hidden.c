/* Functions with state that all threads share and that POSIX does not promise to protect (POSIX.1-2017, 2.9.1): what they keep is memory
 * like any other, of which a race is told (IRKISS_HIDDEN). Where glibc protects it all the same (its manual calls the function MT-Safe,
 * or the source takes a lock) there is no race, and a verdict says that it rests on glibc. */
#include "irkiss_pthread.h"

/* ---- Random numbers: arbitrary, not negative. random protects its state; rand need not, and glibc's is random. The drand48 family
 * does not. ---- */
IRKISS_ASSUMES("glibc-protects")
int rand(void) { return (int)(__irkiss_nondet_u32() & 0x7fffffffu); }
IRKISS_ASSUMES("glibc-protects")
void srand(unsigned seed) { (void)seed; }

long random(void) { return (long)(__irkiss_nondet_u32() & 0x7fffffffu); }
void srandom(unsigned seed) { (void)seed; }

int rand_r(unsigned *seed)
{
    *seed = __irkiss_nondet_u32();
    return (int)(__irkiss_nondet_u32() & 0x7fffffffu);
}

IRKISS_HIDDEN static u32 drand48_state;

static u32 next(void)
{
    __irkiss_touch(&drand48_state, sizeof drand48_state);
    drand48_state = __irkiss_nondet_u32();
    return __irkiss_nondet_u32();
}

long lrand48(void) { return (long)(next() & 0x7fffffffu); }
long mrand48(void) { return (long)(s32)next(); }
/* In [0, 1). */
double drand48(void) { return next() / 4294967296.0; }
void srand48(long seed) { drand48_state = (u32)seed; }

u32 arc4random(void) { return __irkiss_nondet_u32(); }
u32 arc4random_uniform(u32 limit)
{
    u32 number = __irkiss_nondet_u32();
    return number < limit ? number : 0;
}

/* ---- Texts. ---- */
#define TEXT 32

static char *fill(char *text)
{
    __irkiss_havoc(text, TEXT - 1);
    text[TEXT - 1] = 0;
    return text;
}

IRKISS_HIDDEN static char ttyname_text[TEXT], getlogin_text[TEXT];

/* glibc has one for each thread (strerror since 2.32). */
IRKISS_ASSUMES("glibc-protects")
char *strerror(int number) { (void)number; return fill(__irkiss_alloc(TEXT, 0)); }
IRKISS_ASSUMES("glibc-protects")
char *strsignal(int number) { (void)number; return fill(__irkiss_alloc(TEXT, 0)); }
IRKISS_ASSUMES("glibc-protects")
char *inet_ntoa(u32 address) { (void)address; return fill(__irkiss_alloc(TEXT, 0)); }
char *ttyname(int file) { (void)file; return __irkiss_nondet_bool() ? NULL : fill(ttyname_text); }
char *getlogin(void) { return __irkiss_nondet_bool() ? NULL : fill(getlogin_text); }
const char *gai_strerror(int number) { (void)number; return "error of a name"; }

static void end(char *to, usize size)
{
    if (size == 0)
        return;
    __irkiss_havoc(to, size - 1);
    to[size - 1] = 0;
}

int __xpg_strerror_r(int number, char *to, usize size)
{
    (void)number;
    end(to, size);
    return 0;
}

char *strerror_r(int number, char *to, usize size)
{
    (void)number;
    end(to, size);
    return to;
}

/* ---- Addresses of names: a list of one or two, the program's own to free. ---- */
struct addrinfo {
    int flags, family, kind, protocol;
    u32 length;
    void *address;
    char *name;
    struct addrinfo *next;
};
/* struct sockaddr_in6; what else there is is shorter. */
#define ADDRESS 28

void __irkiss_print_string(const char *s, u64 precision);

static struct addrinfo *entry(struct addrinfo *next, int kind)
{
    struct addrinfo *entry = irkiss_allocate(sizeof *entry, 1);
    u8 *address = irkiss_allocate(ADDRESS, 1);
    _Bool six = __irkiss_nondet_bool();
    __irkiss_havoc(address, ADDRESS);
    entry->family = six ? 10 : 2; /* AF_INET6, AF_INET */
    __builtin_memcpy(address, &(u16){ six ? 10 : 2 }, 2);
    entry->kind = kind ? kind : 1 + __irkiss_nondet_bool(); /* SOCK_STREAM, SOCK_DGRAM */
    entry->length = six ? ADDRESS : 16;
    entry->address = address;
    entry->next = next;
    return entry;
}

/* The canonical name is not given: null. */
int getaddrinfo(const char *name, const char *service, const struct addrinfo *asked, struct addrinfo **list)
{
    int error = (int)(__irkiss_nondet_u8() & 15), kind = asked ? asked->kind : 0;
    irkiss_cancellation_point();
    __irkiss_print_string(name, ~0ull);
    __irkiss_print_string(service, ~0ull);
    if (error)
        return -error;
    *list = entry(__irkiss_nondet_bool() ? entry(NULL, kind) : NULL, kind);
    return 0;
}

void freeaddrinfo(struct addrinfo *list)
{
    IRKISS_FOLLOWED
    while (list) {
        struct addrinfo *next = list->next;
        __irkiss_free(list->address);
        __irkiss_free(list);
        list = next;
    }
}

int getnameinfo(const void *address, u32 length, char *name, u32 name_size, char *service, u32 service_size, int flags)
{
    int error = (int)(__irkiss_nondet_u8() & 15);
    (void)flags;
    irkiss_cancellation_point();
    __irkiss_touch(address, length);
    if (error)
        return -error;
    if (name && name_size)
        end(name, name_size);
    if (service && service_size)
        end(service, service_size);
    return 0;
}

/* ---- Entries of tables, in one object for each table. ---- */
IRKISS_HIDDEN static u8 gethost_entry[64], getpw_entry[64], getgr_entry[64], getserv_entry[64];

/* What pointers in them lead to is not known. */
static void *pointers(u8 *object)
{
    void **words = (void **)object;
    if (__irkiss_nondet_bool())
        return NULL;
    for (usize n = 0; n < 64 / sizeof *words; n++)
        words[n] = __irkiss_nondet_ptr();
    return object;
}

void *gethostbyname(const char *name) { (void)name; return pointers(gethost_entry); }
void *gethostbyaddr(const void *address, u32 length, int type) { (void)address, (void)length, (void)type; return pointers(gethost_entry); }
void *getpwnam(const char *name) { (void)name; return pointers(getpw_entry); }
void *getpwuid(u32 number) { (void)number; return pointers(getpw_entry); }
void *getgrnam(const char *name) { (void)name; return pointers(getgr_entry); }
void *getgrgid(u32 number) { (void)number; return pointers(getgr_entry); }
void *getservbyname(const char *name, const char *protocol) { (void)name, (void)protocol; return pointers(getserv_entry); }
void *getservbyport(int port, const char *protocol) { (void)port, (void)protocol; return pointers(getserv_entry); }

/* ---- Directories: an entry belongs to its stream, which glibc locks while it is overwritten. ---- */
#define ENTRY 280

static void *open_stream(void)
{
    if (!__irkiss_nondet_bool())
        return __irkiss_alloc(ENTRY, 1);
    irkiss_set_errno(2);
    return NULL;
}

void *opendir(const char *path) { (void)path; return open_stream(); }
void *fdopendir(int file) { (void)file; return open_stream(); }

IRKISS_ASSUMES("glibc-protects")
void *readdir(void *stream)
{
    if (!__irkiss_nondet_bool())
        return NULL;
    IRKISS_ATOMIC(__irkiss_havoc(stream, ENTRY));
    return stream;
}

IRKISS_ASSUMES("glibc-protects")
void *readdir64(void *stream) { return readdir(stream); }

int closedir(void *stream)
{
    __irkiss_free(stream);
    return __irkiss_nondet_bool() ? -1 : 0;
}
