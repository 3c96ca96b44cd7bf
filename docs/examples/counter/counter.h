/* A counter that several threads share. */
#ifndef COUNTER_H
#define COUNTER_H

void counter_add(int by);
int counter_get(void);

#endif
