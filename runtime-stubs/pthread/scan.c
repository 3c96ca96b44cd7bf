/* What is read from a text in memory (C17 7.21.6.2): the frontend takes the format apart (src/frontend/close/scan.rs), each part of it is
 * a call that goes on where the one before has ended. What a file gives is arbitrary (stdio.c). */
#include "irkiss_pthread.h"

/* How far a scan has come: a place in the text, conversions made, whether it is over, and whether that was at the end of the text. */
#define PLACE 0xffffffffull
#define ONE_MADE (1ull << 32)
#define OVER (1ull << 48)
#define AT_END (1ull << 49)

static _Bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

static u32 digit(char c)
{
    return c >= '0' && c <= '9' ? (u32)(c - '0') : c >= 'a' && c <= 'z' ? (u32)(c - 'a' + 10) : c >= 'A' && c <= 'Z' ? (u32)(c - 'A' + 10) : 99;
}

static u64 skip(const char *text, u64 n)
{
    /* In a text that is not known, at most as many as --unwind says. */
    while (is_space(text[n]))
        n++;
    return n;
}

/* Ends there, with or without a match. */
static u64 over(u64 state, const char *text, u64 n)
{
    return state | OVER | (text[n] ? 0 : AT_END);
}

static u64 at(u64 state, u64 n) { return (state & ~PLACE) | n; }

/* Spaces of the format stand for any number of spaces; other characters for themselves. */
u64 __irkiss_scan_text(u64 state, const char *text, const char *expected)
{
    u64 n = state & PLACE;
    if (state & OVER)
        return state;
    IRKISS_TO_THE_END
    for (u64 e = 0; expected[e]; e++) {
        if (is_space(expected[e]))
            n = skip(text, n);
        else if (text[n] != expected[e])
            return over(state, text, n);
        else
            n++;
    }
    return at(state, n);
}

static void store(void *to, u64 value, u64 size)
{
    if (size == 8)
        *(u64 *)to = value;
    else if (size == 4)
        *(u32 *)to = (u32)value;
    else if (size == 2)
        *(u16 *)to = (u16)value;
    else
        *(u8 *)to = (u8)value;
}

/* A number, of base 0 by its prefix; `to` is null where it is dropped. */
u64 __irkiss_scan_number(u64 state, const char *text, u32 base, u64 width, void *to, u64 size)
{
    u64 value = 0, digits = 0;
    if (state & OVER)
        return state;
    u64 start = skip(text, state & PLACE), n = start;
    u64 end = width ? start + width : ~0ull;
    if (!text[n])
        return over(state, text, n);
    _Bool negative = text[n] == '-';
    if (n < end && (text[n] == '-' || text[n] == '+'))
        n++;
    if ((base == 0 || base == 16) && n + 1 < end && text[n] == '0' && (text[n + 1] | 32) == 'x') {
        n += 2;
        base = 16;
    } else if (base == 0) {
        base = text[n] == '0' ? 8 : 10;
    }
    IRKISS_FOLLOWED
    while (n < end && digit(text[n]) < base) {
        value = value * base + digit(text[n]);
        n++;
        digits++;
    }
    if (!digits)
        return over(state, text, n);
    if (to) {
        store(to, negative ? -value : value, size);
        state += ONE_MADE;
    }
    return at(state, n);
}

/* As many characters as the width says, without a byte that ends them. */
u64 __irkiss_scan_characters(u64 state, const char *text, u64 width, char *to)
{
    u64 n = state & PLACE;
    if (state & OVER)
        return state;
    if (!text[n])
        return over(state, text, n);
    IRKISS_TO_THE_END
    for (u64 c = 0; c < width; c++) {
        if (!text[n])
            return over(state, text, n);
        if (to)
            to[c] = text[n];
        n++;
    }
    return at(to ? state + ONE_MADE : state, n);
}

/* Whether the set of a format has the character: the text between the brackets, with `^` first for all others. */
static _Bool is_in(char c, const char *set)
{
    _Bool others = set[0] == '^', found = 0;
    u64 n = others ? 1 : 0;
    IRKISS_TO_THE_END
    while (set[n]) {
        if (set[n + 1] == '-' && set[n + 2]) {
            found = found || (c >= set[n] && c <= set[n + 2]);
            n += 3;
        } else {
            found = found || c == set[n];
            n++;
        }
    }
    return found != others;
}

/* A word, or (`set`) characters of a set. */
u64 __irkiss_scan_string(u64 state, const char *text, const char *set, u64 width, char *to)
{
    u64 length = 0;
    if (state & OVER)
        return state;
    u64 n = set ? state & PLACE : skip(text, state & PLACE);
    if (!text[n])
        return over(state, text, n);
    IRKISS_FOLLOWED
    while (text[n] && (!width || length < width)) {
        if (set ? !is_in(text[n], set) : is_space(text[n]))
            break;
        if (to)
            to[length] = text[n];
        length++;
        n++;
    }
    if (!length)
        return over(state, text, n);
    if (to) {
        to[length] = 0;
        state += ONE_MADE;
    }
    return at(state, n);
}

/* A floating-point number: its value is not followed. */
IRKISS_ANY_ANSWER
u64 __irkiss_scan_float(u64 state, const char *text, u64 width, void *to, u64 size)
{
    if (state & OVER)
        return state;
    u64 start = skip(text, state & PLACE), n = start;
    u64 end = width ? start + width : ~0ull;
    IRKISS_FOLLOWED
    while (n < end && (digit(text[n]) < 10 || is_in(text[n], "+-.eE")))
        n++;
    if (n == start)
        return over(state, text, n);
    if (to) {
        __irkiss_havoc(to, size);
        state += ONE_MADE;
    }
    return at(state, n);
}

/* How far a scan or a print has come. */
void __irkiss_keep_place(u64 state, void *to, u64 size)
{
    if (!(state & OVER))
        store(to, state & PLACE, size);
}

/* How many conversions were made; -1: the text ended before the first. */
int __irkiss_scan_made(u64 state)
{
    u32 made = (u32)(state >> 32) & 0xffff;
    return made == 0 && (state & AT_END) ? -1 : (int)made;
}
