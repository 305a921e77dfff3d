/*
 * recount.pml - a count in a file that processes share (atomic/leases.h, atomic/stripes.h): they
 * put, are killed at any step, others take over their stripes and recount.
 *
 * What is here of the code: lfb_stripes_mark(), the bits, lfb_stripes_add(), lfb_stripes_end();
 * lfb_leases_take(), _give(), _recover(); lfb_leases_recount(), recount_wait(),
 * recount_correct(), recount_finish().  Each load and store is a step of its own, in one order
 * for all: what weaker orders there are, the marks' fences among them, is not looked at here.  A
 * process has one thread, and the lock of its lease ends when it is killed.  Each key has a bit
 * of its own; who finds it on puts nothing.  Two who write a key and one who
 * recounts; by -DWRITERS=1 -DTURNS=2 -DRECOUNTS=2 one who writes two, and two who recount.
 *
 * Asserted: the sum is never above the bits.  Who recounted and was told that it is exact
 * finds, once nobody runs, no death without a later recount or the sum equal to the bits.
 *
 * Bugs, by -D: UNMARKED puts do not say that they are under way; TORN a recount adds by a
 * store what is missing; UNWAITED a recount does not wait for marked stripes; FORGOT a recount
 * says that it has seen deaths that came while it counted.
 */
#ifndef WRITERS
#define WRITERS 2
#endif
#ifndef RECOUNTS
#define RECOUNTS 1
#endif
#ifndef TURNS
#define TURNS 1 /* keys that a writer puts */
#endif
#define LEASES 2
#define KEYS 2
#define NOBODY 255

bool on[KEYS];          /* the filter's bits                        */
byte count[LEASES];    /* a stripe a lease                         */
byte running[LEASES];  /* .. odd between mark and end, modulo 4    */
byte owner[LEASES];    /* the lock of the kernel's: whose          */
bool state[LEASES];    /* in the file: a lease has an owner        */
byte correction;        /* the stripe that makes up                 */
byte deaths, recounted; /* the book                                 */
bool killed[WRITERS];
byte ended;             /* processes that are through               */

#define BITS (on[0] + on[1])
#define SUM (count[0] + count[1] + correction)

/* lfb_leases_take(), and lease_bury() of who had it before. */
inline take()
{
  atomic {
    if
    :: owner[0] == NOBODY -> owner[0] = me; lease = 0
    :: owner[0] != NOBODY && owner[1] == NOBODY -> owner[1] = me; lease = 1
    fi
  }
  bury();
  state[lease] = true
}

/* Under the lock. */
inline bury()
{
  if
  :: state[lease] ->
     if
     :: running[lease] % 2 == 1 -> running[lease] = (running[lease] + 1) % 4
     :: else
     fi;
     deaths++
  :: else
  fi
}

/* Puts `key`, as one who has `lease`. */
inline put()
{
#ifndef UNMARKED
  running[lease] = (running[lease] + 1) % 4;
#endif
  atomic { mine = !on[key]; on[key] = true } /* the CAS tells who turned it on */
  if
  :: mine -> seen = count[lease]; atomic { count[lease] = seen + 1; assert(SUM <= BITS) }
  :: else
  fi;
  seen = 0; mine = false;
#ifndef UNMARKED
  running[lease] = (running[lease] + 1) % 4
#endif
}

/* Takes a lease, puts keys, each writer in an order of his own, gives the lease back; killed
 * anywhere. */
proctype Writer(byte me)
{
  byte lease, key, seen, turns;
  bool mine;

  {
    take();
    key = me; turns = 0;
    do
    :: turns < TURNS -> put(); atomic { key = (key + 1) % KEYS; turns++ }
    :: else -> break
    od;
    state[lease] = false;
    owner[lease] = NOBODY
  } unless {
    killed[me]
  };
  atomic { lease = 0; key = 0; seen = 0; turns = 0; mine = false; ended++ }
}

/* Kills who is still there, or some of them, or none. */
proctype Killer()
{
  byte whom;

  do
  :: whom < WRITERS ->
     if
     :: d_step {
          killed[whom] = true;
          if
          :: owner[0] == whom -> owner[0] = NOBODY
          :: owner[1] == whom -> owner[1] = NOBODY
          :: else
          fi
        }
     :: true
     fi;
     whom++
  :: else -> break
  od;
  atomic { whom = 0; ended++ }
}

/* lfb_leases_recover() of one lease. */
inline recover()
{
  if
  :: atomic { state[lease] && owner[lease] == NOBODY -> owner[lease] = me };
     bury();
     state[lease] = false;
     owner[lease] = NOBODY
  :: !state[lease] || owner[lease] != NOBODY
  fi
}

/* recount_wait(): whether the moment came at which nothing is under way. */
inline wait(i)
{
#ifndef UNWAITED
  first = running[i];
  do
  :: atomic { running[i] % 2 == 0 || running[i] != first -> break }
  :: atomic { running[i] % 2 == 1 && running[i] == first -> moved = true; break } /* patience */
  od;
  first = 0
#else
  skip
#endif
}

/* recount_correct(): adds what is missing, unless another recount came first. */
inline correct()
{
#ifdef TORN
  if
  :: correction == before[2] -> correction = before[2] + missing
  :: else -> still = false
  fi;
  assert(SUM <= BITS)
#else
  atomic {
    if
    :: missing == 0
    :: missing != 0 && correction == before[2] ->
       correction = before[2] + missing;
       assert(SUM <= BITS)
    :: missing != 0 && correction != before[2] -> still = false
    fi
  }
#endif
}

/* recount_finish(): says up to which death, if nobody has said more. */
inline finish(upto)
{
  atomic {
    if
    :: recounted < upto -> recounted = upto
    :: else
    fi
  }
}

/* Opens the file, gives back the leases of the dead, and recounts. */
proctype Recounter(byte me)
{
  byte lease, first, seen, sum;
  byte before[3], there;
  short missing;
  bool moved, still = true;

  lease = 0; recover();
  lease = 1; recover();
  lease = 0;
  seen = deaths;
  before[0] = count[0];
  before[1] = count[1];
  before[2] = correction;
  there = on[0];
  there = there + on[1];
  wait(0);
  atomic { sum = count[0]; still = still && count[0] == before[0] }
  wait(1);
  atomic { sum = sum + count[1]; still = still && count[1] == before[1] }
  atomic { sum = sum + correction; still = still && correction == before[2] }
  missing = there - sum;
  if
  :: !moved && (still || missing > 0) -> correct()
  :: else
  fi;
#ifdef FORGOT
  seen = deaths;
#endif
  if
  :: !moved && still -> finish(seen)
  :: else
  fi;
  atomic {
    first = 0; seen = 0; sum = 0; there = 0; missing = 0; moved = false; still = true;
    before[0] = 0; before[1] = 0; before[2] = 0; ended++
  }
}

init
{
  byte i;

  atomic {
    owner[0] = NOBODY; owner[1] = NOBODY;
    do
    :: i < WRITERS -> run Writer(i); i++
    :: else -> break
    od;
    run Killer();
    i = 0;
    do
    :: i < RECOUNTS -> run Recounter(LEASES + i); i++
    :: else -> i = 0; break
    od
  }
  ended == WRITERS + 1 + RECOUNTS;
  /* Nobody has died that a recount has not seen, or that nobody has noticed. */
  if
  :: deaths == recounted && !state[0] && !state[1] -> assert(SUM == BITS)
  :: else
  fi
}
