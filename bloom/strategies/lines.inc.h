/*
 * lines.inc.h - template: the loop over many hashes, each with all its bits in one line.
 *
 * The loop prefetches lines ahead, and gathers 64 answers in a word.  Before including it, define
 *
 *   LINES_TARGET  the target attribute of its functions: one without it could not inline them
 *   LINES_LOOP    the name of the loop
 *   LINES_VIEW    the type of the data that is common to all hashes
 *   LINES_UNROLL  the unroll attribute of the loop over the hashes of one answer word, if it gains
 *                 anything
 *
 * The loop inlines the functions that it receives.  If it `prefetches`, it prefetches for each word
 * of answers as many lines further ahead.  At the end of the batch it prefetches some lines again,
 * which costs less than a test.
 */

#ifndef LINES_UNROLL
#define LINES_UNROLL
#endif

/* Calls one(view, hash) for each hash, in order.  An answer is true if the call returned more than
 * 0.  Returns the sum of what the calls returned. */
LINES_TARGET LFB_INLINE uint64_t LINES_LOOP(const LINES_VIEW *view, bool prefetches,
                                            const uint64_t *hashes, size_t count,
                                            uint64_t *answers,
                                            void (*prefetch)(const LINES_VIEW *view, uint64_t hash),
                                            uint64_t (*one)(const LINES_VIEW *view, uint64_t hash))
{
  uint64_t sum = 0;

  for (size_t i = 0; prefetches && i < count && i < LFB_LINES_AHEAD; i++)
    prefetch(view, hashes[i]);
  for (size_t i = 0, turns; i < count; i += turns) {
    turns = count - i < LFB_WORD_BITS ? count - i : (size_t)LFB_WORD_BITS;
    const size_t further =
        i + LFB_LINES_AHEAD + turns <= count ? i + LFB_LINES_AHEAD : count - turns;
    const uint64_t *now = hashes + i, *ahead = hashes + further;
    uint64_t answer = 0;
    LINES_UNROLL
    for (size_t k = 0; k < turns; k++) {
      if (prefetches)
        prefetch(view, ahead[k]);
      const uint64_t given = one(view, now[k]);
      answer |= (uint64_t)(given != 0) << k;
      sum += given;
    }
    answers[i / LFB_WORD_BITS] = answer;
  }
  return sum;
}

#undef LINES_TARGET
#undef LINES_LOOP
#undef LINES_VIEW
#undef LINES_UNROLL
