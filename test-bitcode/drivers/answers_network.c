// irkiss: ; expect: none ; lazy: yes
//
// Buffers and devices of the network, cards of sound, requests: never an error where null or an object is promised, never null where an
// object is, and what the debug info tells is set.
#include "answers.h"

struct sk_buff;
extern struct sk_buff *__alloc_skb(unsigned int, unsigned int, int, int), *__netdev_alloc_skb(void *, unsigned int, unsigned int);
extern struct sk_buff *__napi_alloc_skb(void *, unsigned int, unsigned int), *napi_alloc_skb(void *, unsigned int);
extern struct sk_buff *skb_clone(struct sk_buff *, unsigned int), *skb_copy(const struct sk_buff *, unsigned int);
extern void *skb_put(struct sk_buff *, unsigned int), *skb_push(struct sk_buff *, unsigned int);
extern void *skb_pull(struct sk_buff *, unsigned int), *skb_pull_data(struct sk_buff *, size_t);

static void buffers(void)
{
    struct sk_buff *buffer = __alloc_skb(8, GFP_KERNEL, 0, -1);
    CHECK(!IS_ERR(buffer));
    CHECK(!IS_ERR(__netdev_alloc_skb(NULL, 8, GFP_KERNEL)) && !IS_ERR(__napi_alloc_skb(NULL, 8, GFP_KERNEL)));
    CHECK(!IS_ERR(napi_alloc_skb(NULL, 8)) && !IS_ERR(skb_clone(buffer, 0)) && !IS_ERR(skb_copy(buffer, 0)));
    CHECK(skb_put(buffer, 4) && skb_push(buffer, 4));
    CHECK(!IS_ERR(skb_pull(buffer, 4)) && !IS_ERR(skb_pull_data(buffer, 4)));
}

struct netdev_queue {
    long state;
};
struct net_device {
    long state;
    unsigned int num_tx_queues, real_num_tx_queues;
    struct netdev_queue *_tx;
};
extern struct net_device *alloc_etherdev_mqs(int, unsigned int, unsigned int);
extern struct net_device *devm_alloc_etherdev_mqs(void *, int, unsigned int, unsigned int);

static void made(struct net_device *device)
{
    if (!device)
        return;
    CHECK(!IS_ERR(device) && device->num_tx_queues == 2 && device->real_num_tx_queues == 2 && device->_tx);
    // The driver's part is cleared.
    CHECK(((long *)((char *)device + (sizeof(*device) + 31) / 32 * 32))[1] == 0);
}

struct snd_card {
    int number;
    void *private_data;
};
struct snd_rawmidi {
    struct snd_card *card;
};
struct snd_pcm {
    struct snd_card *card;
};
extern int snd_card_new(void *, int, const char *, void *, int, struct snd_card **);
extern int snd_devm_card_new(void *, int, const char *, void *, size_t, struct snd_card **);
extern int snd_pcm_new(struct snd_card *, const char *, int, int, int, struct snd_pcm **);
extern int snd_rawmidi_new(struct snd_card *, char *, int, int, int, struct snd_rawmidi **);
extern int snd_hwdep_new(struct snd_card *, char *, int, void **), snd_timer_new(struct snd_card *, char *, void *, void **);
extern int snd_pcm_open_substream(struct snd_pcm *, int, struct file *, void **);
extern int snd_ac97_bus(struct snd_card *, int, const void *, void *, void **), snd_ac97_mixer(void *, void *, void **);
extern int snd_pcm_add_chmap_ctls(struct snd_pcm *, int, const void *, int, unsigned long, void **);

static void cards(void)
{
    struct snd_card *card = NULL, *managed = NULL;
    struct snd_rawmidi *midi = NULL;
    struct snd_pcm *pcm = NULL;
    void *dependent = NULL, *timer = NULL, *stream = NULL, *bus = NULL, *codec = NULL, *channels = NULL;
    if (!snd_devm_card_new(NULL, -1, "", NULL, 16, &managed))
        CHECK(managed && ((long *)managed->private_data)[1] == 0);
    if (snd_card_new(NULL, -1, "", NULL, 0, &card))
        return;
    CHECK(card && !card->private_data);
    if (!snd_pcm_new(card, "", 0, 1, 1, &pcm))
        CHECK(pcm && pcm->card == card);
    if (!snd_rawmidi_new(card, "", 0, 1, 1, &midi))
        CHECK(midi && midi->card == card);
    if (!snd_hwdep_new(card, "", 0, &dependent))
        CHECK(dependent);
    if (!snd_timer_new(card, "", NULL, &timer))
        CHECK(timer);
    if (!snd_pcm_open_substream(pcm, 0, NULL, &stream))
        CHECK(stream);
    if (!snd_pcm_add_chmap_ctls(pcm, 0, NULL, 2, 0, &channels))
        CHECK(channels);
    if (!snd_ac97_bus(card, 0, NULL, NULL, &bus))
        CHECK(bus);
    if (!snd_ac97_mixer(bus, NULL, &codec))
        CHECK(codec);
}

struct urb {
    int status;
    void *context;
    void (*complete)(struct urb *);
};
extern struct urb *usb_alloc_urb(int, unsigned int);

static void requests(void)
{
    struct urb *urb = usb_alloc_urb(0, GFP_KERNEL);
    if (urb)
        CHECK(urb->status == 0 && !urb->complete);
}

static void answers(void)
{
    buffers();
    made(alloc_etherdev_mqs(16, 2, 1));
    made(devm_alloc_etherdev_mqs(NULL, 16, 2, 1));
    cards();
    requests();
}
