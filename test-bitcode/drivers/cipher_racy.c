// irkiss: ; expect: race ; lazy: yes
//
// One transformation may be used by many at once: what its context holds of a block is another one's by then.
#include "part_linux.h"

struct crypto_tfm { u32 crt_flags; void (*exit)(struct crypto_tfm *); void *crt_alg; u32 context[4]; };
struct cipher_alg {
	unsigned int cia_min_keysize, cia_max_keysize;
	int (*cia_setkey)(struct crypto_tfm *tfm, const u8 *key, unsigned int bytes);
	void (*cia_encrypt)(struct crypto_tfm *tfm, u8 *dst, const u8 *src);
};
struct crypto_alg { u32 cra_flags; union { struct cipher_alg cipher; } cra_u; struct module *cra_module; };
extern int crypto_register_alg(struct crypto_alg *alg);
extern void crypto_unregister_alg(struct crypto_alg *alg);

static void demo_encrypt(struct crypto_tfm *tfm, u8 *dst, const u8 *src)
{
	tfm->context[1] = src[0] ^ 7; // RACE
	dst[0] = tfm->context[1]; // RACE?
}

static struct crypto_alg demo_alg = { .cra_u.cipher = { .cia_encrypt = demo_encrypt }, .cra_module = THIS_MODULE };

int init_module(void)
{
	return crypto_register_alg(&demo_alg);
}

void cleanup_module(void)
{
	crypto_unregister_alg(&demo_alg);
}
