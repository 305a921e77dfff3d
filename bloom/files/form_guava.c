/*
 * form_guava.c - the form that Guava's BloomFilter.writeTo writes.
 *
 * The header of guava_header.h, then the words, big-endian.  The form has no magic number, no n, no
 * p and no checksum.
 *
 * Source: Guava BloomFilter.java, writeTo and readFrom.
 */
#include "bloom/files/forms.h"
#include "bloom/files/guava_header.h"
#include "bloom/strategies/strategies.h"

_Static_assert((int)LFB_GUAVA_HEADER == (int)LFB_FORM_HEAD,
               "what tells the forms apart is all of it");

static bool guava_form_begins(const unsigned char head[LFB_FORM_HEAD])
{
  const lfb_strategy *strategy = lfb_strategy_find_in_file(head[0]);
  return strategy != NULL && lfb_guava_holds(strategy);
}

static lfb_status guava_form_write(const lfb_filter *filter, const lfb_writer *writer)
{
  unsigned char head[LFB_GUAVA_HEADER];

  lfb_guava_encode(&filter->description, head);
  const lfb_status status = writer->write(writer->to, head, sizeof head);
  return status != LFB_OK
             ? status
             : lfb_form_write_words(&filter->layout.bits, LFB_ORDER_BIG, writer, NULL);
}

static lfb_status guava_form_locate(const lfb_reader *reader,
                                    const unsigned char head[LFB_FORM_HEAD],
                                    lfb_form_located *located)
{
  lfb_form_located found = {.order = LFB_ORDER_BIG, .words_at = LFB_GUAVA_HEADER};
  const lfb_status status = lfb_guava_decode(head, &found.description);

  (void)reader;
  if (status != LFB_OK)
    return status;
  found.size = found.words_at + found.description.geometry.word_count * sizeof(lfb_word);
  *located = found;
  return LFB_OK;
}

const lfb_form_row lfb_form_row_guava = {
    .form = LFB_FORM_GUAVA,
    .name = "guava",
    .holds = lfb_guava_holds,
    .magic = LFB_MAGIC_NONE,
    .begins = guava_form_begins,
    .write = guava_form_write,
    .locate = guava_form_locate,
};
