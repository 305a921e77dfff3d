/*
 * epoch.pml - atomic/threads/epoch.h: readers that enter by plain stores, which stay in their
 * processors' store buffers, and a writer that publishes, retires and polls.
 *
 * Modelled code: lfb_epoch_enter_plainly(), lfb_epoch_leave_plainly(), lfb_epoch_retire() and
 * lfb_epoch_poll() with membarrier(2).  Each load and store is one step.  Readers and the writer
 * never end.  Objects are reused, so the number of states is finite.  A number is stored as its
 * age: how many numbers have begun since.  All ages grow by one when a number begins.  A retired
 * object is at most OBJECTS - 1 numbers old, so OLD stands for everything older: the code only
 * asks whether one number is lower than another.
 *
 * Asserted: an object that a reader has loaded is not reclaimed before the reader leaves.  The
 * formula `reclaimed`: under fair scheduling, with readers that leave, each retired object is
 * reclaimed.
 *
 * Bugs, by -D: UNBARRED no barrier in a poll; UNGRACED no retiring; EARLY the pointer is loaded
 * before the epoch's number; SHORT a retired object is reclaimed one number early; MUTE readers
 * see only the first number, the oldest (found by `reclaimed`).
 */
#ifndef READERS
#define READERS 2
#endif
#define OBJECTS 2
#define OUTSIDE 0
#define NOW 1             /* an age is written plus one */
#define OLD (1 + OBJECTS) /* older than any retired object */

byte published = 0;  /* the object that readers find                        */
bool live[OBJECTS];
byte waits[OBJECTS]; /* while retired: NOW plus the age of its number        */

/* A place in memory; its owner's stores that have not reached it yet, in order; and the number
 * that the owner has loaded and not stored. */
byte since[READERS];
byte loaded[READERS];
chan stores[READERS] = [2] of { byte };

/* A reader's oldest buffered store reaches memory. */
proctype Processor(byte i)
{
end:
  do
  :: atomic { nempty(stores[i]) -> stores[i]?since[i] }
  od
}

/* Each step loads from memory at most once; a store goes to the buffer. */
proctype Reader(byte i)
{
  byte at;

end:
  do
  :: true ->
#ifdef EARLY
     at = published;
#endif
#ifndef MUTE
     loaded[i] = NOW;
#else
     loaded[i] = OLD;
#endif
     atomic { stores[i]!loaded[i]; loaded[i] = OUTSIDE }
#ifndef EARLY
     at = published;
#endif
     assert(live[at]);
     atomic { stores[i]!OUTSIDE; assert(live[at]); at = 0 }
  od
}

#define GROW(age) age = (age == OUTSIDE || age == OLD -> age : age + 1)

/* Begins a number: all existing ones grow older. */
inline turn()
{
  o = 0;
  do
  :: o < OBJECTS -> GROW(waits[o]); o++
  :: else -> break
  od;
  o = 0;
  do
  :: o < READERS ->
     GROW(since[o]);
     GROW(loaded[o]);
     n = len(stores[o]);
     do
     :: n > 0 -> stores[o]?value; GROW(value); stores[o]!value; n--
     :: else -> break
     od;
     o++
  :: else -> break
  od;
  o = 0; value = 0
}

/* Publishes a free object and retires the previous one; readers do not see the retiring. */
inline publish()
{
  atomic {
    if
    :: !live[0] -> next = 0
    :: !live[1] -> next = 1
    fi;
    live[next] = true;
    old = published;
    published = next;
    next = 0
  }
  d_step {
#ifdef UNGRACED
    live[old] = false;
#else
    turn();
    waits[old] = NOW;
#endif
    old = 0
  }
}

/* The effect of membarrier(2) on each processor. */
inline barrier()
{
#ifndef UNBARRED
  d_step {
    do
    :: i < READERS ->
       do
       :: nempty(stores[i]) -> stores[i]?since[i]
       :: empty(stores[i]) -> break
       od;
       i++
    :: else -> break
    od;
    i = 0
  }
#else
  skip
#endif
}

/* The oldest section's number; OUTSIDE if there is none. */
inline scan()
{
  do
  :: i < READERS -> atomic { oldest = (since[i] > oldest -> since[i] : oldest); i++ }
  :: else -> i = 0; break
  od
}

/* A section's number is not below that of a retired object: it is not older. */
inline reclaim()
{
  d_step {
    do
    :: i < OBJECTS ->
       if
#ifndef SHORT
       :: waits[i] != 0 && oldest <= waits[i] -> waits[i] = 0; live[i] = false
#else
       :: waits[i] != 0 && oldest <= waits[i] + 1 -> waits[i] = 0; live[i] = false
#endif
       :: else
       fi;
       i++
    :: else -> break
    od;
    i = 0; oldest = OUTSIDE
  }
}

proctype Writer()
{
  byte i, n, o, old, next, value, oldest;

end:
  do
  :: publish()
  :: barrier(); scan(); reclaim()
  od
}

init
{
  byte i;

  atomic {
    live[0] = true;
    i = 0;
    do
    :: i < READERS -> run Reader(i); run Processor(i); i++
    :: else -> break
    od;
    run Writer()
  }
}

#ifdef LIVE
ltl reclaimed { [] (waits[1] != 0 -> <> (waits[1] == 0)) }
#endif
