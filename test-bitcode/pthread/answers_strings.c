// irkiss: ; expect: none ; forms: nopass ; lazy: yes
//
// What functions on strings, characters and numbers compute, by names that clang does not know better.
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

extern size_t length(const char *) __asm__("strlen"), length_to(const char *, size_t) __asm__("strnlen"), span(const char *, const char *) __asm__("strspn");
extern size_t span_not(const char *, const char *) __asm__("strcspn"), copy_within(char *, const char *, size_t) __asm__("strlcpy");
extern size_t append_within(char *, const char *, size_t) __asm__("strlcat");
extern int compare(const char *, const char *) __asm__("strcmp"), compare_to(const char *, const char *, size_t) __asm__("strncmp");
extern int compare_any(const char *, const char *) __asm__("strcasecmp"), compare_any_to(const char *, const char *, size_t) __asm__("strncasecmp");
extern int collate(const char *, const char *) __asm__("strcoll");
extern char *end_of_copy(char *, const char *) __asm__("stpcpy"), *append(char *, const char *) __asm__("strcat"), *append_to(char *, const char *, size_t) __asm__("strncat");
extern char *find(const char *, int) __asm__("strchr"), *find_or_end(const char *, int) __asm__("strchrnul"), *find_old(const char *, int) __asm__("index");
extern char *find_last(const char *, int) __asm__("strrchr"), *find_last_old(const char *, int) __asm__("rindex"), *find_text(const char *, const char *) __asm__("strstr");
extern char *find_any(const char *, const char *) __asm__("strpbrk"), *part(char *, const char *, char **) __asm__("strtok_r"), *part_too(char *, const char *, char **) __asm__("__strtok_r");
extern char *hidden_part(char *, const char *) __asm__("strtok"), *cut(char **, const char *) __asm__("strsep"), *copied(const char *) __asm__("__strdup"), *copied_to(const char *, size_t) __asm__("strndup");
extern void *last_byte(const void *, int, size_t) __asm__("memrchr");

static void strings(void)
{
    char text[8] = "ab,c", other[8], *next, *rest = text;

    assert(length("four") == 4 && length_to("four", 2) == 2 && span("aab", "a") == 2 && span_not("ab,c", ",") == 2);
    assert(compare("abcdef", "abcdeg") < 0 && compare_to("abx", "aby", 2) == 0 && collate("b", "a") > 0);
    assert(compare_any("ABC", "abc") == 0 && compare_any_to("ABx", "aby", 2) == 0);
    assert(copy_within(other, "abc", 3) == 3 && other[1] == 'b' && other[2] == 0);
    assert(append_within(other, "xyz", 8) == 5 && other[4] == 'z');
    assert(end_of_copy(other, "ab") == other + 2 && append(other, "c") == other && append_to(other, "de", 1) == other);
    assert(other[2] == 'c' && other[3] == 'd' && other[4] == 0);
    assert(find(text, 'b') == text + 1 && find_old(text, 'x') == NULL && find_or_end(text, 'x') == text + 4);
    assert(find_last("abab", 'a') != NULL && find_last_old(text, 'x') == NULL && find_text("haystack", "stack") != NULL);
    assert(find_any(text, ",;") == text + 2 && last_byte(text, 'a', 4) == text);
    assert(copied(text)[3] == 'c' && copied_to(text, 1)[1] == 0);
    assert(part(text, ",", &next) == text && text[2] == 0 && part_too(NULL, ",", &next) == text + 3);
    text[2] = ',';
    assert(hidden_part(text, ",") == text && hidden_part(NULL, ",") == text + 3);
    text[2] = ',';
    assert(cut(&rest, ",") == text && rest == text + 3);
}

extern long number(const char *, char **, int) __asm__("strtol"), number_new(const char *, char **, int) __asm__("__isoc23_strtol"), of_text(const char *) __asm__("atol");
extern long long wide(const char *, char **, int) __asm__("strtoll"), wide_new(const char *, char **, int) __asm__("__isoc23_strtoll"), wide_of_text(const char *) __asm__("atoll");
extern long long widest(const char *, char **, int) __asm__("strtoimax"), widest_new(const char *, char **, int) __asm__("__isoc23_strtoimax");
extern unsigned long long natural_widest_new(const char *, char **, int) __asm__("__isoc23_strtoumax");
extern unsigned long natural(const char *, char **, int) __asm__("strtoul"), natural_new(const char *, char **, int) __asm__("__isoc23_strtoul");
extern unsigned long long natural_wide(const char *, char **, int) __asm__("strtoull"), natural_wide_new(const char *, char **, int) __asm__("__isoc23_strtoull");
extern unsigned long long natural_widest(const char *, char **, int) __asm__("strtoumax");
extern int size(int) __asm__("abs"), first_bit(int) __asm__("ffs"), first_bit_of(long) __asm__("ffsl"), first_bit_of_wide(long long) __asm__("ffsll");
extern long size_of(long) __asm__("labs");
extern long long size_of_wide(long long) __asm__("llabs");
extern unsigned net(unsigned) __asm__("htonl"), host(unsigned) __asm__("ntohl");
extern unsigned short net_short(unsigned short) __asm__("htons"), host_short(unsigned short) __asm__("ntohs");

static void numbers(void)
{
    char *end;

    assert(number("0x1fz", &end, 0) == 31 && *end == 'z' && number_new("-12", NULL, 10) == -12 && of_text(" 7x") == 7);
    assert(wide("077", NULL, 0) == 63 && wide_new("z", NULL, 36) == 35 && wide_of_text("-8") == -8 && widest("9", NULL, 10) == 9);
    assert(widest_new("-9", NULL, 10) == -9 && natural_widest_new("8", NULL, 10) == 8);
    assert(natural("11", NULL, 2) == 3 && natural_new("5", NULL, 10) == 5 && natural_wide("6", NULL, 10) == 6);
    assert(natural_wide_new("7", NULL, 10) == 7 && natural_widest("8", NULL, 10) == 8);
    assert(size(-3) == 3 && size_of(-3) == 3 && size_of_wide(-3) == 3);
    assert(first_bit(8) == 4 && first_bit_of(0) == 0 && first_bit_of_wide(1) == 1);
    assert(host(net(258)) == 258 && host_short(net_short(258)) == 258);
}

extern int upper(int) __asm__("isupper"), lower(int) __asm__("islower"), digit(int) __asm__("isdigit"), hex(int) __asm__("isxdigit"), letter(int) __asm__("isalpha");
extern int word(int) __asm__("isalnum"), space(int) __asm__("isspace"), blank(int) __asm__("isblank"), control(int) __asm__("iscntrl"), graphic(int) __asm__("isgraph");
extern int printed(int) __asm__("isprint"), mark(int) __asm__("ispunct"), ascii(int) __asm__("isascii"), raised(int) __asm__("toupper"), lowered(int) __asm__("tolower");
extern int in_ascii(int) __asm__("toascii");
extern const unsigned short **kinds(void) __asm__("__ctype_b_loc");
extern const int **lowers(void) __asm__("__ctype_tolower_loc"), **uppers(void) __asm__("__ctype_toupper_loc");
extern size_t longest(void) __asm__("__ctype_get_mb_cur_max");

static void characters(void)
{
    assert(upper('A') && !upper('a') && lower('a') && !lower('A') && digit('1') && !digit('a') && hex('f') && !hex('g'));
    assert(letter('z') && !letter('1') && word('1') && !word('-') && space('\n') && !space('a') && blank(' ') && !blank('\n'));
    assert(control(1) && !control('a') && graphic('a') && !graphic(' ') && printed(' ') && !printed(1) && mark('-') && !mark('a'));
    assert(ascii(1) && !ascii(200) && raised('a') == 'A' && raised('-') == '-' && lowered('A') == 'a' && in_ascii(200) == 72);
    assert((*kinds())['A'] && !(*kinds())[200] && (*lowers())['A'] == 'a' && (*uppers())['b'] == 'B' && longest() == 1);
}

static void *other(void *argument)
{
    return argument;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, other, NULL);
    strings();
    numbers();
    characters();
    return 0;
}
