/* Functions with state that all threads share and that POSIX does not promise to protect (POSIX 2.9.1): what they keep is memory
 * like any other. */
#include "irkiss_pthread.h"

/* ---- Random numbers: arbitrary, not negative. random and random_r protect their state, rand and the drand48 family need not. ---- */
static u32 random_state;

int rand(void)
{
    random_state = __irkiss_nondet_u32();
    return (int)(__irkiss_nondet_u32() & 0x7fffffffu);
}

void srand(unsigned seed) { random_state = seed; }

long random(void) { return (long)(__irkiss_nondet_u32() & 0x7fffffffu); }
void srandom(unsigned seed) { (void)seed; }

int rand_r(unsigned *seed)
{
    *seed = __irkiss_nondet_u32();
    return (int)(__irkiss_nondet_u32() & 0x7fffffffu);
}

static u32 random_state_48;

long lrand48(void)
{
    random_state_48 = __irkiss_nondet_u32();
    return (long)(__irkiss_nondet_u32() & 0x7fffffffu);
}

long mrand48(void)
{
    random_state_48 = __irkiss_nondet_u32();
    return (long)(s32)__irkiss_nondet_u32();
}

void srand48(long seed) { random_state_48 = (u32)seed; }

u32 arc4random(void) { return __irkiss_nondet_u32(); }
u32 arc4random_uniform(u32 limit)
{
    u32 number = __irkiss_nondet_u32();
    return number < limit ? number : 0;
}

/* ---- The environment. ---- */
/* What getenv looks through, and the others change. */
static u8 variables;

/* Null, or a string of up to 63 characters. */
char *getenv(const char *name)
{
    (void)name;
    __irkiss_touch(&variables, 1);
    if (__irkiss_nondet_bool())
        return NULL;
    char *value = __irkiss_lazy(64, "a variable of the environment");
    IRKISS_ATOMIC(value[63] = 0);
    return value;
}

char *secure_getenv(const char *name) { return getenv(name); }

static int change(void)
{
    __irkiss_havoc(&variables, 1);
    return __irkiss_nondet_bool() ? -1 : 0;
}

int setenv(const char *name, const char *value, int overwrite) { (void)name, (void)value, (void)overwrite; return change(); }
int unsetenv(const char *name) { (void)name; return change(); }
int putenv(char *string) { (void)string; return change(); }
int clearenv(void) { return change(); }

/* ---- Texts in memory of their own. ---- */
#define TEXT 32

static char *fill(char *text)
{
    __irkiss_havoc(text, TEXT - 1);
    text[TEXT - 1] = 0;
    return text;
}

static char error_text[TEXT], signal_text[TEXT], address_text[TEXT], name_text[TEXT], login_text[TEXT];

char *strerror(int number) { (void)number; return fill(error_text); }
char *strsignal(int number) { (void)number; return fill(signal_text); }
char *inet_ntoa(u32 address) { (void)address; return fill(address_text); }
char *ttyname(int file) { (void)file; return __irkiss_nondet_bool() ? NULL : fill(name_text); }
char *getlogin(void) { return __irkiss_nondet_bool() ? NULL : fill(login_text); }
const char *gai_strerror(int number) { (void)number; return "error of a name"; }

int __xpg_strerror_r(int number, char *to, usize size)
{
    (void)number;
    if (size)
        to[0] = 0;
    return 0;
}

char *strerror_r(int number, char *to, usize size)
{
    (void)number;
    if (size)
        to[0] = 0;
    return to;
}

/* dirname and basename may write into what they are given. */
static char part_of_path[TEXT];
char *dirname(char *path)
{
    if (path)
        __irkiss_touch(path, 1);
    return fill(part_of_path);
}

/* ---- Entries of tables, in one object for each table. ---- */
static u8 host[64], user[64], group[64], service[64], directory_entry[280];

static void *entry(u8 *object, usize size)
{
    if (__irkiss_nondet_bool())
        return NULL;
    __irkiss_havoc(object, size);
    return object;
}

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

void *gethostbyname(const char *name) { (void)name; return pointers(host); }
void *gethostbyaddr(const void *address, u32 length, int type) { (void)address, (void)length, (void)type; return pointers(host); }
void *getpwnam(const char *name) { (void)name; return pointers(user); }
void *getpwuid(u32 number) { (void)number; return pointers(user); }
void *getgrnam(const char *name) { (void)name; return pointers(group); }
void *getgrgid(u32 number) { (void)number; return pointers(group); }
void *getservbyname(const char *name, const char *protocol) { (void)name, (void)protocol; return pointers(service); }
void *getservbyport(int port, const char *protocol) { (void)port, (void)protocol; return pointers(service); }
/* The entry belongs to the stream; here there is one. */
void *readdir(void *directory) { (void)directory; return entry(directory_entry, sizeof directory_entry); }
void *readdir64(void *directory) { return readdir(directory); }
