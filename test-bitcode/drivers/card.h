// Controls of sound cards, shortened.
#ifndef CARD_H
#define CARD_H
#include "kernel.h"

struct snd_card {
    int number;
};
struct snd_ctl_elem_id {
    unsigned int numid;
    unsigned char name[44];
    unsigned int index;
};
struct snd_kcontrol;
struct snd_ctl_elem_value {
    long value[4];
};
struct snd_kcontrol_new {
    unsigned int iface;
    const char *name;
    int (*get)(struct snd_kcontrol *, struct snd_ctl_elem_value *);
    int (*put)(struct snd_kcontrol *, struct snd_ctl_elem_value *);
    unsigned long private_value;
};
struct snd_kcontrol {
    struct snd_ctl_elem_id id;
    void *private_data;
};
extern struct snd_kcontrol *snd_ctl_new1(const struct snd_kcontrol_new *control, void *data);
extern int snd_ctl_add(struct snd_card *card, struct snd_kcontrol *control);
extern int snd_card_new(void *parent, int index, const char *id, struct module *module, int private, struct snd_card **card);
extern int snd_card_register(struct snd_card *card);
#endif
