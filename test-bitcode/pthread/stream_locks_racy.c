// irkiss: ; expect: race ; forms: nopass ; lazy: yes
//
// Streams are locks (flockfile), but each its own; functions that lock a stream take that lock, and those of standard output and input do.
#include <pthread.h>
#include <stddef.h>

/* Without <stdio.h>, whose inline functions look into the stream themselves. */
typedef struct file FILE;
extern FILE *tmpfile(void);
extern void flockfile(FILE *), funlockfile(FILE *);
extern int ftrylockfile(FILE *);
extern int getc_unlocked(FILE *), fgetc_unlocked(FILE *), getchar_unlocked(void), putc_unlocked(int, FILE *), fputc_unlocked(int, FILE *);
extern int putchar_unlocked(int), fputs_unlocked(const char *, FILE *), fflush_unlocked(FILE *), feof_unlocked(FILE *), ferror_unlocked(FILE *);
extern void clearerr_unlocked(FILE *);
extern size_t fread_unlocked(void *, size_t, size_t, FILE *), fwrite_unlocked(const void *, size_t, size_t, FILE *);
extern char *fgets_unlocked(char *, int, FILE *);
extern int fputc(int, FILE *), fputs(const char *, FILE *), puts(const char *), getchar(void), printf(const char *, ...);

static FILE *one, *two;
static int first, second;

static void *uses(void *unused)
{
    flockfile(one);
    first++; // RACE
    funlockfile(one);
    if (ftrylockfile(one) == 0) {
        second++; // RACE
        funlockfile(one);
    }
    putc_unlocked('a', two);   // RACE
    putchar_unlocked('a');     // RACE
    getchar_unlocked();        // RACE
    return unused;
}

int main(void)
{
    pthread_t a;

    one = tmpfile();
    two = tmpfile();
    if (!one || !two)
        return 1;
    pthread_create(&a, 0, uses, 0);
    flockfile(two);
    first++; // RACE
    funlockfile(two);
    flockfile(two);
    second++; // RACE
    funlockfile(two);
    fputc('a', two); // RACE
    puts("a");       // RACE
    getchar();       // RACE
    pthread_join(a, 0);
    return 0;
}
