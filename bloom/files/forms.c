/* forms.c - the table of forms, and writing and reading in one of them. */
#include "bloom/files/forms.h"

#include <string.h>

#include "atomic/words/reserved.h"
#include "bloom/strategies/strategies.h"

static const lfb_form_row *const forms[] = {
    &lfb_form_row_native,
    &lfb_form_row_guava,
    &lfb_form_row_sbbf,
    &lfb_form_row_mapped,
    &lfb_form_row_milvus,
    &lfb_form_row_milvus_int64,
    &lfb_form_row_milvus_utf8,
};

enum { FORM_COUNT = sizeof forms / sizeof forms[0] };

static const lfb_form_row *form_find(lfb_form form)
{
  for (int i = 0; i < FORM_COUNT; i++)
    if (forms[i]->form == form)
      return forms[i];
  return NULL;
}

static bool form_can_hold(const lfb_form_row *row, const lfb_strategy *strategy)
{
  return strategy->id != LFB_TAGS && (row->holds == NULL || row->holds(strategy));
}

const char *lfb_form_name(lfb_form form)
{
  const lfb_form_row *row = form_find(form);
  return row == NULL ? NULL : row->name;
}

lfb_status lfb_form_from_name(const char *name, lfb_form *form)
{
  for (int i = 0; i < FORM_COUNT; i++)
    if (strcmp(forms[i]->name, name) == 0) {
      *form = forms[i]->form;
      return LFB_OK;
    }
  return LFB_ERROR_NO_SUCH_FORM;
}

bool lfb_form_holds(lfb_form form, lfb_strategy_id id)
{
  const lfb_form_row *row = form_find(form);
  const lfb_strategy *strategy = lfb_strategy_find(id == LFB_DEFAULT ? LFB_FAST : id);

  return row != NULL && strategy != NULL && form_can_hold(row, strategy);
}

lfb_status lfb_filter_write(const lfb_filter *filter, lfb_form form, lfb_write_fn write,
                            void *to)
{
  const lfb_form_row *row = form_find(form);

  if (row == NULL)
    return LFB_ERROR_NO_SUCH_FORM;
  if (!form_can_hold(row, filter->strategy))
    return LFB_ERROR_FORM_CANNOT_HOLD;
  return row->write(filter, &(lfb_writer){.write = write, .to = to});
}

lfb_form lfb_form_begun(const unsigned char head[LFB_FORM_HEAD])
{
  const lfb_magic begun = lfb_magic_begun(head);

  for (int i = 0; i < FORM_COUNT; i++)
    if (forms[i]->magic == LFB_MAGIC_NONE ? forms[i]->begins(head) : forms[i]->magic == begun)
      return forms[i]->form;
  return LFB_FORM_NONE;
}

lfb_status lfb_form_foreign(const unsigned char head[LFB_FORM_HEAD])
{
  switch (lfb_magic_begun(head)) {
  case LFB_MAGIC_COUNTING:
    return LFB_ERROR_COUNTING;
  case LFB_MAGIC_GROWING:
    return LFB_ERROR_GROWING;
  case LFB_MAGIC_GROWING_MAPPED:
    return LFB_ERROR_GROWING_MAPPED;
  case LFB_MAGIC_WINDOW:
    return LFB_ERROR_WINDOW;
  case LFB_MAGIC_DELTA:
    return LFB_ERROR_DELTA;
  default:
    return lfb_form_begun(head) == LFB_FORM_NONE ? LFB_ERROR_UNKNOWN_FORM : LFB_OK;
  }
}

lfb_status lfb_form_read_header(const lfb_reader *reader, lfb_magic magic, lfb_status plain,
                                unsigned char *header, size_t size)
{
  lfb_status status = lfb_form_read_bytes(reader, header, LFB_FORM_HEAD);

  if (status != LFB_OK)
    return status;
  if (lfb_magic_begun(header) == magic)
    return lfb_form_read_bytes(reader, header + LFB_FORM_HEAD, size - LFB_FORM_HEAD);
  status = lfb_form_foreign(header);
  return status == LFB_OK ? plain : status;
}

/* Reads nothing: for limits that this library does not know. */
static lfb_status reader_refuse(void *from, void *bytes, size_t size, size_t *got)
{
  (void)from, (void)bytes, (void)size, (void)got;
  return LFB_ERROR_RESERVED;
}

lfb_reader lfb_reader_of(lfb_read_fn read, void *from, const lfb_read_limits *limits)
{
  lfb_reader reader = {.read = read, .from = from};

  if (limits != NULL) {
    reader.limits = *limits;
    if (LFB_RESERVED(limits) != LFB_OK)
      reader.read = reader_refuse;
  }
  if (reader.limits.damage != NULL)
    *reader.limits.damage = (lfb_damage){0};
  return reader;
}

/* Reads the first bytes of a form, and finds its row. */
static lfb_status form_begin(const lfb_reader *reader, unsigned char head[LFB_FORM_HEAD],
                             const lfb_form_row **row)
{
  const lfb_status status = lfb_form_read_bytes(reader, head, LFB_FORM_HEAD);

  if (status != LFB_OK)
    return status;
  *row = form_find(lfb_form_begun(head));
  return *row == NULL ? lfb_form_foreign(head) : LFB_OK;
}

lfb_status lfb_form_locate(const lfb_reader *reader, lfb_form_located *located)
{
  unsigned char head[LFB_FORM_HEAD];
  const lfb_form_row *row;
  const lfb_status status = form_begin(reader, head, &row);

  return status == LFB_OK ? row->locate(reader, head, located) : status;
}

/* Reads a form of a head and words, as lfb_form_row.read(). */
static lfb_status form_read_words(const lfb_form_row *row, const lfb_reader *reader,
                                  const unsigned char head[LFB_FORM_HEAD], lfb_filter **filter)
{
  lfb_form_located located;
  const lfb_status status = row->locate(reader, head, &located);

  return status == LFB_OK
             ? lfb_form_read_words(reader, located.order, NULL, &located.description, filter)
             : status;
}

lfb_status lfb_form_read(const lfb_reader *reader, void **made)
{
  unsigned char head[LFB_FORM_HEAD];
  const lfb_form_row *row;
  lfb_filter *filter;

  lfb_status status = form_begin(reader, head, &row);
  if (status != LFB_OK)
    return status;
  status = row->read == NULL ? form_read_words(row, reader, head, &filter)
                             : row->read(reader, head, &filter);
  if (status == LFB_OK)
    *made = filter;
  return status;
}

lfb_status lfb_filter_read(lfb_read_fn read, void *from, const lfb_read_limits *limits,
                           lfb_filter **filter)
{
  const lfb_reader reader = lfb_reader_of(read, from, limits);
  void *made = NULL;
  const lfb_status status = lfb_form_read(&reader, &made);

  if (status == LFB_OK)
    *filter = made;
  return status;
}
