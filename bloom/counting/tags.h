/*
 * tags.h - the table of strategy `tags`: keys as tags in two lines each, which can be removed while
 * other threads put, query and remove.  tags_key.h has the operations on one key.
 *
 * Layout   `half` lines A, then `half` lines B, of 8 words each.  A word has 4, 3 or 2 slots of
 *          T = 16, 21 or 32 bits, from its low end; the top bit of three slots is 0.  A slot is 0
 *          (free) or a tag.  Of a hash h:
 *            tag  its low T bits; 0 becomes 1
 *            a    floor(h * half / 2^64), its line among the lines A
 *            b    (a + floor(tag * 9e3779b97f4a7c15 * half / 2^64)) mod half, among the lines B
 *          (The product tag * 9e.. is modulo 2^64.)
 * Class    For one tag, b is a bijection of a.  So keys with equal tags that share one line share
 *          both: they are a class.  The copies of a tag in the two lines of its class belong to the
 *          class, not to a key: a removal may take the copy that another key's put has stored.
 * put      Stores a copy in a free slot of the emptier line.  If no slot is free, it moves a tag of
 *          the line A to that tag's own line B: first the copy there, then this slot becomes 0.
 * query    Looks at the words of line A, then of line B, in the order of their addresses.
 * remove   Looks in the same order, and takes the first copy that it finds.  If another thread has
 *          changed that word meanwhile, it looks again from the first word of line A.
 *
 * Found    While callers keep the rule of lfbloom/counting.h, no query misses a present key, and no
 *          removal is refused.  The proof, for one class:
 *
 *   u(0) to u(m) are the words (or larger units that one access reads) in the order of looks; c(i)
 *   is the number of copies in u(i), S(j) the sum of c(i) for i > j, each at an instant t.  A look
 *   passes i when it reads u(i) and sees no copy.  A removal in progress is in R(j) if its current
 *   look has passed 0 to j.  A move between its two steps is in M(j) if its slot is after u(j).
 *   A key K is present throughout, and a query of it passes 0 to j, the last at the instant t(j).
 *
 *   Claim j   At each t >= t(j):  S(j) >= 1 + |R(j)| + |M(j)|.
 *   Claim -1  is the rule: each removal in progress has a put of its own and has not taken that
 *             copy, each move has stored a copy too many, and K has a copy.
 *   Step      Let t* be the last instant in [t(j), t] at which c(j) = 0; t(j) is one.  There
 *             S(j) = S(j-1) >= 1 + |R(j-1)| + |M(j-1)|, by claim j-1.  After t* no look passes j.
 *             So each removal that takes a copy after u(j) in (t*, t], or is in R(j) at t, was in
 *             R(j-1) at t*; and it takes one copy.  A move with its slot after u(j) was in M(j-1)
 *             at t*, or it has stored its copy since then, which is after u(j), too.  A move that
 *             finds its slot without the tag becomes a removal that has passed nothing.  So no more
 *             copies are taken after u(j) than the right side loses.
 *   End       S(m) = 0 contradicts claim m.  So the query found a copy.  A removal by the rule is
 *             such a query: it has a put of its own, and counts itself in R(j).
 *   Save      A reader that adds up the copies of a class in this order finds at least as many as
 *             keys are present throughout: as above, with t* the last instant at which c(j) is at
 *             most what the reader saw there.
 *
 * Needed   The proof needs exactly this: one order of looks for all readers of a table; the first
 *          copy is the one that is taken; after a failed exchange the look begins again; moves go
 *          forward, and store before they take.  So all readers, those of whole tables, too, call
 *          lfb_word_get_ordered() or tags_unit() in the order of the addresses.  "Instant" is the
 *          order of the seq_cst operations.
 * Checked  //tests/kinds:tags_order_test tries every interleaving, //tests/model:tags_model the
 *          code itself.
 * Progress Queries are wait-free.  put and remove are lock-free: they retry only because a word of
 *          their lines changed.
 * Stopped  A thread that stops in a move leaves one copy too many, never one too few.
 */
#ifndef LFB_BLOOM_TAGS_H
#define LFB_BLOOM_TAGS_H

#include <lfbloom/word.h>

#ifndef LFB_TAGS_LINE /* a model has shorter lines */
#define LFB_TAGS_LINE 8
#endif

/* The table.  The lines A begin at `words`. */
typedef struct lfb_tags {
  lfb_word *words; /* aligned to a cache line */
  uint64_t half;   /* at least 1              */
} lfb_tags;

#endif
