// irkiss: --property assert ; expect: none ; forms: nopass
//
// What is printed into memory and read from there, by known numbers and texts. It also runs natively (tests/oracle.rs).
#define _GNU_SOURCE
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void printed(void)
{
    char to[40];
    int place = 0;
    assert(snprintf(to, sizeof to, "worker-%d", 7) == 8 && strcmp(to, "worker-7") == 0);
    assert(sprintf(to, "%d/%u/%x/%X/%o", -12, 40u, 255, 0xabc, 8) == 16 && strcmp(to, "-12/40/ff/ABC/10") == 0);
    assert(snprintf(to, 4, "%s", "abcdef") == 6 && strcmp(to, "abc") == 0);
    assert(snprintf(NULL, 0, "%ld", 1234567890123l) == 13);
    assert(sprintf(to, "[%5d|%-5d|%05d|%+d]", 42, 42, 42, 42) == 23 && strcmp(to, "[   42|42   |00042|+42]") == 0);
    assert(sprintf(to, "%8s|%-4s|%.2s|%c%%", "right", "l", "cut", 'x') == 19 && strcmp(to, "   right|l   |cu|x%") == 0);
    assert(sprintf(to, "%#x %.3d %hhu %*d", 26, 5, 257, 3, 9) == 14 && strcmp(to, "0x1a 005 1   9") == 0);
    assert(sprintf(to, "%s%n%d", "ab", &place, 0) == 3 && place == 2);
    assert(sprintf(to, "%lld", -9223372036854775807ll - 1) == 20 && to[1] == '9');
    char *own = NULL;
    if (asprintf(&own, "%s=%d", "size", 10) >= 0) {
        assert(own != NULL);
        assert(strcmp(own, "size=10") == 0);
    }
}

static void scanned(void)
{
    int a = 0, b = 0, place = 0;
    unsigned hex = 0;
    long wide = 0;
    char word[8], set[8], letter = 0;
    assert(sscanf("640x480", "%dx%d", &a, &b) == 2 && a == 640 && b == 480);
    assert(sscanf(" -5 rest", "%d %7s", &a, word) == 2 && a == -5 && strcmp(word, "rest") == 0);
    assert(sscanf("ff:077", "%x:%i%n", &hex, &a, &place) == 2 && hex == 255 && a == 63 && place == 6);
    assert(sscanf("key=value", "%7[^=]=%c", set, &letter) == 2 && strcmp(set, "key") == 0 && letter == 'v');
    assert(sscanf("12345", "%2d%ld", &a, &wide) == 2 && a == 12 && wide == 345);
    assert(sscanf("", "%d", &a) == -1 && sscanf("x", "%d", &a) == 0);
    assert(sscanf("1,2", "%d;%d", &a, &b) == 1 && a == 1);
    assert(sscanf("7 8", "%*d %d", &a) == 1 && a == 8);
}

int main(void)
{
    printed();
    scanned();
    return 0;
}
