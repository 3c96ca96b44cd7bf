// irkiss: --property uaf ; expect: uaf ; forms: nopass ; lazy: yes
//
// A converter of texts is used after it was closed: by another thread.
#include <iconv.h>
#include <pthread.h>

static iconv_t converter;

static void *closes(void *unused)
{
    iconv_close(converter);
    return unused;
}

int main(void)
{
    char from[2] = "a", to[4], *in = from, *out = to;
    size_t left = 1, room = 4;
    pthread_t a;

    converter = iconv_open("UTF-8", "ASCII");
    if (converter == (iconv_t)-1)
        return 1;
    pthread_create(&a, 0, closes, 0);
    iconv(converter, &in, &left, &out, &room); // FREED
    pthread_join(a, 0);
    return 0;
}
