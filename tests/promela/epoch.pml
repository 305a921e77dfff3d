/*
 * epoch.pml - atomic/threads/epoch.h over ck's epochs: readers who enter by plain stores, which stay
 * in their processors' store buffers, and a writer who publishes, retires and polls.
 *
 * What is here of the code: lfb_ck_enter_plainly(), lfb_ck_enter() where the writer brings the
 * barrier, lfb_ck_leave_outermost(), lfb_ck_poll() with membarrier(2), and of ck 0.7.1
 * ck_epoch_call() and ck_epoch_poll(), each load and store a step of its own.  Readers and the
 * writer go on for ever; objects are used again, so that a finite number of states is all.
 * Epochs are counted modulo 4: only whether two are equal is ever asked, and those of
 * sections under way are at most 2 apart.
 *
 * Asserted: what a reader has loaded is not reclaimed before he leaves.  The formula
 * `reclaimed`: under fair scheduling, with readers who leave, what was retired is reclaimed.
 *
 * Bugs, by -D: UNBARRED no barrier in a poll; UNGRACED no retiring; EARLY the pointer is loaded
 * before the epoch's number; SHORT what is retired waits for one epoch, not two; MUTE readers
 * are not told of epochs, and stay in the first (found by `reclaimed`).
 */
#ifndef READERS
#define READERS 2
#endif
#define OBJECTS 2
#define EPOCHS 4
#define LISTS 4 /* CK_EPOCH_LENGTH */
#define NONE 15 /* a place's epoch before its first section */
#define INSIDE 0
#define NUMBER 1

byte published = 0; /* which object readers find   */
byte now = 1;       /* ck's number of the epoch    */
byte told = 1;      /* `plain`: what readers see   */
bool live[OBJECTS];
byte waits[OBJECTS]; /* 1 + its list, while retired */

/* A place in memory, and its owner's stores that are not there yet, in order. */
bool inside[READERS];
byte number[READERS];
chan stores[READERS] = [2] of { bit, byte };

/* One store of a reader's reaches memory. */
inline drain(i)
{
  stores[i]?field, value;
  if
  :: field == INSIDE -> inside[i] = value
  :: else -> number[i] = value
  fi
}

proctype Processor(byte i)
{
  bit field;
  byte value;

end:
  do
  :: atomic { nempty(stores[i]); drain(i); field = 0; value = 0 }
  od
}

/* Each step loads from memory at most once; a store goes to the buffer. */
proctype Reader(byte i)
{
  byte mine = NONE; /* what his place has, or will have */
  byte at;

end:
  do
  :: true ->
#ifdef EARLY
     at = published;
#endif
     atomic {
       if
       :: told == mine -> stores[i]!INSIDE, 1; goto entered /* the plain way in */
       :: else -> stores[i]!INSIDE, 1
       fi
     }
     atomic {
#ifndef MUTE
       mine = now;
#else
       mine = 1;
#endif
       stores[i]!NUMBER, mine
     }
entered:
#ifndef EARLY
     at = published;
#endif
     assert(live[at]);
     atomic { stores[i]!INSIDE, 0; assert(live[at]); at = 0 }
  od
}

/* Reclaims one list. */
inline dispatch(list)
{
  d_step {
    o = 0;
    do
    :: o < OBJECTS ->
       if
       :: waits[o] == 1 + (list) % LISTS -> waits[o] = 0; live[o] = false
       :: else
       fi;
       o++
    :: else -> break
    od;
    o = 0
  }
}

/* What each processor does within membarrier(2). */
inline barrier()
{
#ifdef UNBARRED
  skip
#else
  do
  :: d_step {
       i < READERS ->
       do
       :: nempty(stores[i]) -> drain(i)
       :: empty(stores[i]) -> break
       od;
       i++; field = 0; value = 0
     }
  :: else -> i = 0; break
  od
#endif
}

/* Whether somebody is inside, and one of them with another epoch. */
inline scan()
{
  do
  :: atomic { i < READERS && !other -> in = inside[i] }
     atomic { any = any || in; other = in && number[i] != now; in = false; i++ }
  :: else -> i = 0; break
  od
}

inline poll()
{
  barrier();
  dispatch(now + EPOCHS - 2);
  scan();
  if
  :: other
  :: !other && !any -> dispatch(0); dispatch(1); dispatch(2); dispatch(3)
  :: !other && any ->
     now = (now + 1) % EPOCHS;
#ifdef SHORT
     dispatch(now + EPOCHS - 1)
#else
     dispatch(now + EPOCHS - 2)
#endif
  fi;
  d_step { told = now; any = false; other = false }
}

/* Publishes a free object, and retires the one before: of that readers see nothing. */
inline publish()
{
  atomic {
    if
    :: !live[0] -> o = 0
    :: !live[1] -> o = 1
    fi;
    live[o] = true;
    old = published;
    published = o;
#ifdef UNGRACED
    live[old] = false;
#else
    waits[old] = 1 + now % LISTS;
#endif
    o = 0; old = 0
  }
}

proctype Writer()
{
  byte i, o, old, value;
  bit field;
  bool any, other, in;

end:
  do
  :: publish()
  :: poll()
  od
}

init
{
  byte i;

  atomic {
    live[0] = true;
    i = 0;
    do
    :: i < READERS -> number[i] = NONE; run Reader(i); run Processor(i); i++
    :: else -> break
    od;
    run Writer()
  }
}

#ifdef LIVE
ltl reclaimed { [] (waits[1] != 0 -> <> (waits[1] == 0)) }
#endif
