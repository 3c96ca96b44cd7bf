// irkiss: ; expect: race ; lazy: yes
//
// As hash_scratch_safe.c, but what is worked out lies in the transformation, which they share.
#include "part_linux.h"

struct crypto_tfm { unsigned int flags; void *context; };
struct crypto_shash { unsigned int descsize; struct crypto_tfm base; };
struct shash_desc { struct crypto_shash *tfm; unsigned long context[4]; };
struct shash_alg {
	int (*init)(struct shash_desc *desc);
	int (*update)(struct shash_desc *desc, const u8 *data, unsigned int length);
	int (*final)(struct shash_desc *desc, u8 *out);
	unsigned int digestsize, descsize;
};
extern int crypto_register_shash(struct shash_alg *alg);
extern void crypto_unregister_shash(struct shash_alg *alg);

static int sum_init(struct shash_desc *desc)
{
	desc->context[0] = 0;
	return 0;
}

static int sum_update(struct shash_desc *desc, const u8 *data, unsigned int length)
{
	unsigned int i;

	for (i = 0; i < length && i < 2; i++) {
		desc->tfm->descsize = data[i]; // RACE
		desc->context[0] += desc->tfm->descsize; // RACE?
	}
	return 0;
}

static int sum_final(struct shash_desc *desc, u8 *out)
{
	*out = desc->context[0];
	return 0;
}

static struct shash_alg sum_alg = { .init = sum_init, .update = sum_update, .final = sum_final, .digestsize = 1, .descsize = sizeof(long) };

int init_module(void)
{
	return crypto_register_shash(&sum_alg);
}

void cleanup_module(void)
{
	crypto_unregister_shash(&sum_alg);
}
