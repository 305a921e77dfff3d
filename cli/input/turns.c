/* turns.c - turns, in which threads do a step one after another. */
#include "cli/input/turns.h"

void turns_init(struct turns *turns)
{
  (void)pthread_mutex_init(&turns->lock, NULL);
  for (int i = 0; i < TURNS_SEATS; i++)
    (void)pthread_cond_init(&turns->seats[i], NULL);
  turns->next = 0;
}

void turns_await(struct turns *turns, uint64_t number)
{
  (void)pthread_mutex_lock(&turns->lock);
  while (turns->next != number)
    (void)pthread_cond_wait(&turns->seats[number % TURNS_SEATS], &turns->lock);
  (void)pthread_mutex_unlock(&turns->lock);
}

void turns_pass(struct turns *turns)
{
  (void)pthread_mutex_lock(&turns->lock);
  turns->next++;
  (void)pthread_cond_broadcast(&turns->seats[turns->next % TURNS_SEATS]);
  (void)pthread_mutex_unlock(&turns->lock);
}
