/*
 * epoch.pml - atomic/threads/epoch.h: readers that enter by plain stores, which stay in their
 * processors' store buffers, and a writer that publishes, retires and polls.
 *
 * What is here of the code: lfb_epoch_enter_plainly(), lfb_epoch_leave_plainly(),
 * lfb_epoch_retire() and lfb_epoch_poll() with membarrier(2), each load and store a step of its
 * own.  Readers and the writer go on for ever; objects are used again, so that a finite number of
 * states is all.  A number is written as its age: how many numbers have begun since.  All ages
 * grow by one when a number begins.  What is retired is at most OBJECTS - 1 numbers old, so that
 * OLD stands for all that is older: only whether one number is lower than another is ever asked.
 *
 * Asserted: what a reader has loaded is not reclaimed before it leaves.  The formula
 * `reclaimed`: under fair scheduling, with readers that leave, what was retired is reclaimed.
 *
 * Bugs, by -D: UNBARRED no barrier in a poll; UNGRACED no retiring; EARLY the pointer is loaded
 * before the epoch's number; SHORT what is retired is reclaimed one number early; MUTE
 * readers see no number but the first, the oldest (found by `reclaimed`).
 */
#ifndef READERS
#define READERS 2
#endif
#define OBJECTS 2
#define OUTSIDE 0
#define NOW 1             /* an age is written plus one */
#define OLD (1 + OBJECTS) /* older than all that is retired */

byte published = 0;  /* which object readers find                           */
bool live[OBJECTS];
byte waits[OBJECTS]; /* while retired: NOW plus the age of its number        */

/* A place in memory, and its owner's stores that are not there yet, in order; and the number
 * that the owner has loaded and not stored. */
byte since[READERS];
byte loaded[READERS];
chan stores[READERS] = [2] of { byte };

/* A store of a reader's reaches memory, of the oldest one first. */
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

/* Begins a number: all that there are grow older. */
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

/* Publishes a free object, and retires the one before: of that readers see nothing. */
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

/* What each processor does within membarrier(2). */
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

/* The oldest section's number: OUTSIDE where there is none. */
inline scan()
{
  do
  :: i < READERS -> atomic { oldest = (since[i] > oldest -> since[i] : oldest); i++ }
  :: else -> i = 0; break
  od
}

/* A section's number is not below that of what is retired: it is not older. */
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
