// irkiss: --work 400k ; expect: race ; forms: nopass ; lazy: yes
//
// A hash table on the heap, a mutex in each bucket; the reader locks the neighbour of the bucket it walks
#include <pthread.h>
#include <stdlib.h>
struct cell { unsigned key; int value; struct cell *next; };
struct bucket { pthread_mutex_t lock; struct cell *first; };
struct table { unsigned size; struct bucket bucket[]; };
static struct table *table;
static void put(unsigned key, int value)
{
	struct bucket *b = &table->bucket[key % table->size];
	struct cell *c = malloc(sizeof *c);
	if (!c)
		return;
	c->key = key;
	c->value = value;
	pthread_mutex_lock(&b->lock);
	c->next = b->first;
	b->first = c; // RACE
	pthread_mutex_unlock(&b->lock);
}
static int get(unsigned key)
{
	struct bucket *b = &table->bucket[key % table->size];
	int value = -1;
	pthread_mutex_lock(&table->bucket[(key + 1) % table->size].lock);
	for (struct cell *c = b->first; c; c = c->next) // RACE
		if (c->key == key) {
			value = c->value;
			break;
		}
	pthread_mutex_unlock(&table->bucket[(key + 1) % table->size].lock);
	return value;
}
static void *writer(void *arg)
{
	put(1, 10);
	put(6, 60);
	return arg;
}
static void *reader(void *arg)
{
	(void)arg;
	return (void *)(long)get(6);
}
int main(void)
{
	pthread_t a, b;
	table = malloc(sizeof *table + 4 * sizeof(struct bucket));
	if (!table)
		return 1;
	table->size = 4;
	for (unsigned i = 0; i < 4; i++) {
		pthread_mutex_init(&table->bucket[i].lock, 0);
		table->bucket[i].first = 0;
	}
	pthread_create(&a, 0, writer, 0);
	pthread_create(&b, 0, reader, 0);
	pthread_join(a, 0);
	pthread_join(b, 0);
	return 0;
}
