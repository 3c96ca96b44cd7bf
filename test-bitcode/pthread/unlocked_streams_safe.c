// irkiss: ; expect: none ; forms: nopass ; lazy: yes
//
// As unlocked_streams_racy.c, with the lock of each stream (flockfile).
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
extern int __overflow(FILE *, int), __uflow(FILE *);
extern int fputc(int, FILE *), fputs(const char *, FILE *), puts(const char *), getchar(void), printf(const char *, ...);

#define OPEN(file) \
    if (!(file = tmpfile())) \
        return 1
static FILE *file_0, *file_1, *file_2, *file_3, *file_4, *file_5, *file_6, *file_7, *file_8, *file_9, *file_10, *file_11, *file_12, *file_13;

static void *uses(void *unused)
{
    char own[4] = "abc";

    flockfile(file_0);
    getc_unlocked(file_0);
    funlockfile(file_0);
    flockfile(file_1);
    fgetc_unlocked(file_1);
    funlockfile(file_1);
    flockfile(file_2);
    putc_unlocked('a', file_2);
    funlockfile(file_2);
    flockfile(file_3);
    fputc_unlocked('a', file_3);
    funlockfile(file_3);
    flockfile(file_4);
    fputs_unlocked("a", file_4);
    funlockfile(file_4);
    flockfile(file_5);
    fflush_unlocked(file_5);
    funlockfile(file_5);
    flockfile(file_6);
    feof_unlocked(file_6);
    funlockfile(file_6);
    flockfile(file_7);
    ferror_unlocked(file_7);
    funlockfile(file_7);
    flockfile(file_8);
    clearerr_unlocked(file_8);
    funlockfile(file_8);
    flockfile(file_9);
    fread_unlocked(own, 1, 4, file_9);
    funlockfile(file_9);
    flockfile(file_10);
    fwrite_unlocked(own, 1, 4, file_10);
    funlockfile(file_10);
    flockfile(file_11);
    fgets_unlocked(own, 4, file_11);
    funlockfile(file_11);
    flockfile(file_12);
    __overflow(file_12, 97);
    funlockfile(file_12);
    flockfile(file_13);
    __uflow(file_13);
    funlockfile(file_13);
    return unused;
}

int main(void)
{
    pthread_t a;

    OPEN(file_0);
    OPEN(file_1);
    OPEN(file_2);
    OPEN(file_3);
    OPEN(file_4);
    OPEN(file_5);
    OPEN(file_6);
    OPEN(file_7);
    OPEN(file_8);
    OPEN(file_9);
    OPEN(file_10);
    OPEN(file_11);
    OPEN(file_12);
    OPEN(file_13);
    pthread_create(&a, 0, uses, 0);
    uses(0);
    pthread_join(a, 0);
    return 0;
}
