/*
 * forms.h - the interface of a serialised form, one row of a table; reading and writing words in
 * pieces, which all forms share; and saving any content to a file.
 *
 * Input is hostile: a form checks every field and product before it allocates, and memory grows
 * only with the bytes that were read.
 */
#ifndef LFB_BLOOM_FORMS_H
#define LFB_BLOOM_FORMS_H

#include "bloom/files/magic.h"
#include "bloom/filter/filter.h"

typedef enum lfb_byte_order { LFB_ORDER_BIG, LFB_ORDER_LITTLE } lfb_byte_order;

/* This processor's. */
static inline lfb_byte_order lfb_byte_order_here(void)
{
  return LFB_LITTLE_32(1) == 1 ? LFB_ORDER_LITTLE : LFB_ORDER_BIG;
}

/* The source of a form. */
typedef struct lfb_reader {
  lfb_read_fn read;
  void *from;
  lfb_read_limits limits;
  uint64_t known_bytes; /* that certainly exist, counted from the start; 0: not known */
  uint64_t at;          /* the form's offset in the input, for limits.damage          */
} lfb_reader;

/* A reader from the start of a source.  `limits` may be NULL; their damage becomes {0}. */
lfb_reader lfb_reader_of(lfb_read_fn read, void *from, const lfb_read_limits *limits);

/* The target of a form. */
typedef struct lfb_writer {
  lfb_write_fn write;
  void *to;
} lfb_writer;

/* The head of a form: the filter, and where its words are. */
typedef struct lfb_form_located {
  lfb_description description;
  lfb_byte_order order; /* of the words                              */
  uint64_t words_at;    /* where they are, in bytes from the start   */
  uint64_t size;        /* of the whole form, in bytes               */
} lfb_form_located;

/* A form. */
typedef struct lfb_form_row {
  lfb_form form;
  const char *name;

  /* Whether the form can hold filters of this strategy; NULL: of any. */
  bool (*holds)(const lfb_strategy *strategy);

  /* The form's first bytes.  Without a magic number, `begins` returns whether `head` can be its
   * beginning. */
  lfb_magic magic;
  bool (*begins)(const unsigned char head[LFB_FORM_HEAD]);

  lfb_status (*write)(const lfb_filter *filter, const lfb_writer *writer);

  /* Reads the rest of the form's head, after `head`, and checks every field. */
  lfb_status (*locate)(const lfb_reader *reader, const unsigned char head[LFB_FORM_HEAD],
                       lfb_form_located *located);

  /* Reads the rest, after `head`.  NULL: the words end the form and follow its head, which
   * `locate` reads. */
  lfb_status (*read)(const lfb_reader *reader, const unsigned char head[LFB_FORM_HEAD],
                     lfb_filter **filter);
} lfb_form_row;

/* How filters of another kind are written and read; one in each *_form.c of a kind. */
typedef struct lfb_any_form {
  lfb_status (*write)(const void *filter, const lfb_writer *writer); /* as lfb_any_write() */
  lfb_status (*read)(const lfb_reader *reader, void **filter);       /* as lfb_any_read()  */
} lfb_any_form;

extern const lfb_any_form lfb_any_form_growing, lfb_any_form_counting, lfb_any_form_window;

/* The content of a file (files.c). */
typedef struct lfb_content {
  const void *what;
  bool secret; /* only the file's owner has permissions                       */
  bool shared; /* processes put into it; a new file is private to its owner   */
  lfb_status (*write)(const void *what, const lfb_writer *writer);
} lfb_content;

/* Saves the content, atomically and durably.  Fails as lfb_filter_save(), except for errors of
 * forms. */
lfb_status lfb_file_save(const lfb_content *content, const char *path);

/*
 * Reads a file that has this content and nothing else.
 *
 * Gives  made  what `read` has made, also after a failure; the caller frees it.
 * Fails  LFB_ERROR_OPEN, _NOT_REGULAR, _READ, _TRAILING_BYTES, or what `read` returned.
 */
lfb_status lfb_file_load(const char *path, const lfb_read_limits *limits,
                         lfb_status (*read)(const lfb_reader *reader, void **made), void **made);

/* One row per file, and three of form_milvus.c; the table in forms.c lists them. */
extern const lfb_form_row lfb_form_row_native;
extern const lfb_form_row lfb_form_row_guava;
extern const lfb_form_row lfb_form_row_sbbf;
extern const lfb_form_row lfb_form_row_mapped;
extern const lfb_form_row lfb_form_row_milvus, lfb_form_row_milvus_int64, lfb_form_row_milvus_utf8;

/* The form that begins with these bytes, or LFB_FORM_NONE. */
lfb_form lfb_form_begun(const unsigned char head[LFB_FORM_HEAD]);

/* Why no plain filter begins with these bytes: LFB_ERROR_GROWING, _GROWING_MAPPED, _COUNTING,
 * _WINDOW, _DELTA or _UNKNOWN_FORM; LFB_OK if one does. */
lfb_status lfb_form_foreign(const unsigned char head[LFB_FORM_HEAD]);

/* Reads the head of a filter in any form.  Fails as lfb_filter_read() before it reads words. */
lfb_status lfb_form_locate(const lfb_reader *reader, lfb_form_located *located);

/* Reads a filter as lfb_filter_read() does; `*made` receives it. */
lfb_status lfb_form_read(const lfb_reader *reader, void **made);

/*
 * Records in limits->damage, unless that is NULL, that `size` bytes at `offset` of the form were
 * compared with their checksum, and whether they match.
 */
void lfb_form_compared(const lfb_reader *reader, uint64_t offset, uint64_t size, bool match);

/* Reads exactly `size` bytes.  Fails: LFB_ERROR_TRUNCATED, or what the reader returned. */
lfb_status lfb_form_read_bytes(const lfb_reader *reader, void *bytes, size_t size);

/* Reads and discards the bytes between two offsets of the form, the first of which comes next. */
lfb_status lfb_form_skip(const lfb_reader *reader, uint64_t from, uint64_t to);

/* Words that were read. */
typedef struct lfb_words {
  lfb_pages pages;
  uint64_t *checksums; /* the XXH3, little-endian, of each LFB_CHECKED_BYTES of the bytes
                          that were read; as many as the pages have room for            */
  uint64_t bits_set;
  uint64_t full_words; /* words of pieces that are all ones                       */
  bool changed;        /* by a check, after bits_set and full_words were counted  */
} lfb_words;

/*
 * Reads `size` bytes of words.
 *
 * Fails  LFB_ERROR_OVER_LIMIT before anything is allocated; _TRUNCATED, _NO_MEMORY,
 *        _SIZE_OVERFLOW, or what the reader returned.
 * Owner  the caller, until lfb_words_free(); it may pass the pages on, and leaves {0}.
 */
lfb_status lfb_form_take_words(const lfb_reader *reader, lfb_byte_order order, uint64_t size,
                               lfb_words *words);

/* How many bytes `size` bytes of words take together with their checksums. */
uint64_t lfb_form_checked_size(uint64_t size);

/* Frees the pages and the checksums. */
void lfb_words_free(lfb_words *come);

/*
 * Reads the checksums after words that begin at byte `offset` of the form, and compares them.
 * Words that do not match become all ones.
 *
 * Fails  LFB_ERROR_BAD_CHECKSUM, unless limits.open_damaged; as lfb_form_read_bytes();
 *        _NO_MEMORY.
 */
lfb_status lfb_form_check_words(const lfb_reader *reader, uint64_t offset, lfb_words *words);

/* Writes words, little-endian, and their checksums, as a rolling snapshot.  Fails as
 * lfb_form_write_words(). */
lfb_status lfb_form_write_checked(const lfb_bit_array *bits, const lfb_writer *writer);

/*
 * Reads a header of a filter that is not plain.
 *
 * Fails  as lfb_form_read_bytes(); by the first LFB_FORM_HEAD bytes with LFB_ERROR_GROWING,
 *        _GROWING_MAPPED, _COUNTING or _UNKNOWN_FORM, or with `plain` if a plain filter begins with
 *        them.
 */
lfb_status lfb_form_read_header(const lfb_reader *reader, lfb_magic magic, lfb_status plain,
                                unsigned char *header, size_t size);

/* Records, as lfb_form_compared(), that a header of `size` bytes at the start of the form was
 * decoded with this status, unless the form or the version is unknown.  Returns the status. */
lfb_status lfb_form_decoded(const lfb_reader *reader, uint64_t size, lfb_status status);

/* Whether the last word has bits set after the filter's last bit. */
bool lfb_form_overhangs(const lfb_geometry *geometry, uint64_t last_word);

/* Checks words.  It may change them, and may read the bytes after them. */
typedef lfb_status (*lfb_words_check)(const lfb_reader *reader, lfb_words *words);

/*
 * Reads the words of the filter in the description, checks them, and makes the filter.  If the
 * check changed words, bits that they have after the filter's last bit are turned off.
 *
 * Takes  check  may be NULL.
 * Fails  LFB_ERROR_OVER_LIMIT before anything is allocated; _TRUNCATED,
 *        _NO_MEMORY, or what the reader or the check returned.
 */
lfb_status lfb_form_read_words(const lfb_reader *reader, lfb_byte_order order,
                                       lfb_words_check check, const lfb_description *description,
                                       lfb_filter **filter);

/*
 * Writes all words, as a rolling snapshot.
 *
 * Takes  checksums  NULL, or room for one XXH3, little-endian, per LFB_CHECKED_BYTES of the
 *                   written bytes.
 * Fails  LFB_ERROR_NO_MEMORY, or what the writer returned.
 */
lfb_status lfb_form_write_words(const lfb_bit_array *bits, lfb_byte_order order,
                                        const lfb_writer *writer, uint64_t *checksums);

#endif
