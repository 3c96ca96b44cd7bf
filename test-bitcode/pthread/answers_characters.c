// irkiss: --property assert ; expect: none
//
// Kinds of characters, as functions and as macros. It also runs natively (tests/oracle.rs).
#include <assert.h>
#include <ctype.h>
#include <stdlib.h>

static void kinds(void)
{
    assert((isalnum)('7') && (isalnum)('q') && !(isalnum)('-'));
    assert((isalpha)('q') && (isalpha)('Q') && !(isalpha)('7'));
    assert((isblank)(' ') && (isblank)('\t') && !(isblank)('\n'));
    assert((iscntrl)('\n') && (iscntrl)(127) && !(iscntrl)('a'));
    assert((isdigit)('0') && (isdigit)('9') && !(isdigit)('a'));
    assert((isgraph)('!') && !(isgraph)(' '));
    assert((islower)('z') && !(islower)('Z'));
    assert((isprint)(' ') && (isprint)('~') && !(isprint)(127));
    assert((ispunct)('.') && !(ispunct)('a') && !(ispunct)(' '));
    assert((isspace)('\v') && (isspace)(' ') && !(isspace)('x'));
    assert((isupper)('A') && !(isupper)('a'));
    assert((isxdigit)('f') && (isxdigit)('A') && (isxdigit)('5') && !(isxdigit)('g'));
    assert((isascii)(127) && !(isascii)(128));
}

static void changed(void)
{
    assert((tolower)('Q') == 'q' && (tolower)('q') == 'q' && (tolower)('1') == '1');
    assert((toupper)('q') == 'Q' && (toupper)('Q') == 'Q' && (toupper)('1') == '1');
    assert((toascii)(0x1c1) == 0x41);
}

int main(void)
{
    kinds();
    changed();
    // As the headers have them: tables.
    assert(isalpha('k') && !isalpha('4') && isdigit('4') && isspace(' ') && !isspace('k'));
    assert(tolower('K') == 'k' && toupper('k') == 'K');
    assert(MB_CUR_MAX >= 1);
    return 0;
}
