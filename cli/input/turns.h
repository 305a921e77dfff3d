/*
 * turns.h - turns, in which threads do a step one after another, in the order of numbers.
 *
 * Each number from 0 is awaited by one thread, which then passes the turn to the next number.  What
 * a thread wrote before it passed its turn is visible to all later turns.
 */
#ifndef CLI_INPUT_TURNS_H
#define CLI_INPUT_TURNS_H

#include <pthread.h>
#include <stdint.h>

/* Threads that wait are woken by seat, number % TURNS_SEATS: one at a time up to 64 threads. */
enum { TURNS_SEATS = 64 };

struct turns {
  pthread_mutex_t lock; /* guards `next` */
  pthread_cond_t seats[TURNS_SEATS];
  uint64_t next; /* the number that may go on */
};

void turns_init(struct turns *turns);

/* Returns when it is the turn of `number`: the turns of all numbers before it have been passed. */
void turns_await(struct turns *turns, uint64_t number);

/* Ends the turn: it is then that of the next number. */
void turns_pass(struct turns *turns);

#endif
