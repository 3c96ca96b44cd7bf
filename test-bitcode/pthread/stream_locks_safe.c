// irkiss: ; expect: none ; forms: nopass ; lazy: yes
//
// As stream_locks_racy.c, with the lock of one and the same stream, which nests.
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

extern FILE *stdin, *stdout;
static FILE *one, *two;
static int first, second;

static void *uses(void *unused)
{
    flockfile(one);
    flockfile(one);
    first++;
    funlockfile(one);
    first++;
    funlockfile(one);
    if (ftrylockfile(one) == 0) {
        second++;
        funlockfile(one);
    }
    flockfile(two);
    putc_unlocked('a', two);
    funlockfile(two);
    flockfile(stdout);
    putchar_unlocked('a');
    funlockfile(stdout);
    flockfile(stdin);
    getchar_unlocked();
    funlockfile(stdin);
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
    flockfile(one);
    first++;
    funlockfile(one);
    flockfile(one);
    second++;
    funlockfile(one);
    fputc('a', two);
    puts("a");
    getchar();
    pthread_join(a, 0);
    return 0;
}
