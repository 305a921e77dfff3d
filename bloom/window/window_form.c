/*
 * window_form.c - the form of a window filter, and files of it (window_files.h).
 */
#include "bloom/files/forms.h"
#include "bloom/window/window_files.h"
#include "bloom/files/mapped_header.h"

/* Where each field is, in bytes from the start, after those of magic.h: docs/formats.md. */
enum {
  WINDOW_AT_GENERATIONS = 16,
  WINDOW_AT_WORDS = 20,
  WINDOW_AT_BITS = 24,
  WINDOW_AT_BY_INSERTIONS = 28,
  WINDOW_AT_BLOCKS = 32,
  WINDOW_AT_SPAN = 40,
  WINDOW_AT_GENERATION = 48,
  WINDOW_AT_BEGAN = 56,
  WINDOW_AT_SHARED = 88, /* where the words of a shared file are */
  WINDOW_AT_ORDER = 96,  /* in the byte order of its maker       */
  WINDOW_AT_RESERVED = 104, /* zero up to the checksum           */
};

enum { WINDOW_VERSION = 2 };

/* ---- headers ---------------------------------------------------------------------- */

void lfb_window_encode(const lfb_window_file *file, unsigned char header[LFB_WINDOW_HEADER])
{
  const lfb_window_geometry *geometry = &file->geometry;
  const uint64_t began[] = {file->began.boot[0], file->began.boot[1], file->began.boottime,
                            file->began.realtime};

  lfb_head_begin(header, LFB_MAGIC_WINDOW, WINDOW_VERSION);
  lfb_store_le32(header + WINDOW_AT_GENERATIONS, file->config.generations);
  lfb_store_le32(header + WINDOW_AT_WORDS, 1U << geometry->block_shift);
  lfb_store_le32(header + WINDOW_AT_BITS, geometry->bits);
  lfb_store_le32(header + WINDOW_AT_BY_INSERTIONS, file->config.by_insertions);
  lfb_store_le64(header + WINDOW_AT_BLOCKS, geometry->blocks);
  lfb_head_store_double(header + WINDOW_AT_SPAN, file->config.span);
  lfb_store_le64(header + WINDOW_AT_GENERATION, file->generation);
  for (size_t i = 0; i < sizeof began / sizeof *began; i++)
    lfb_store_le64(header + WINDOW_AT_BEGAN + i * sizeof *began, began[i]);
  lfb_store_le64(header + WINDOW_AT_SHARED, file->words_at);
  if (file->words_at != 0)
    lfb_head_store_order(header + WINDOW_AT_ORDER);
  lfb_head_end(header);
  lfb_native_encode(&file->description, 0, lfb_native_now(), header + LFB_HEAD_SIZE);
}

/* What only a shared file has, or only the form. */
static bool window_decode_shared(const unsigned char *header, lfb_window_file *file)
{
  if (file->words_at == 0)
    return lfb_load_le64(header + WINDOW_AT_ORDER) == 0 &&
           lfb_window_is_generation(&file->geometry, file->generation);
  return lfb_head_load_order(header + WINDOW_AT_ORDER, &file->other_order) &&
         file->generation == 0 &&
         file->words_at % LFB_CACHE_LINE == 0 && file->words_at >= LFB_WINDOW_PARTS_END &&
         file->words_at <= LFB_MAPPED_WORDS_AT_MOST;
}

/* The fields of the prefix.  Fails: LFB_ERROR_BAD_HEADER. */
static lfb_status window_decode_prefix(const unsigned char *header, lfb_window_file *file)
{
  const unsigned char *began = header + WINDOW_AT_BEGAN;
  const uint32_t by_insertions = lfb_load_le32(header + WINDOW_AT_BY_INSERTIONS);
  const double span = lfb_head_load_double(header + WINDOW_AT_SPAN);

  file->config.generations = lfb_load_le32(header + WINDOW_AT_GENERATIONS);
  file->config.by_insertions = by_insertions == 1;
  file->config.span = span;
  file->geometry = (lfb_window_geometry){lfb_load_le64(header + WINDOW_AT_BLOCKS),
                                         lfb_window_log2(file->config.generations + 1),
                                         lfb_window_log2(lfb_load_le32(header + WINDOW_AT_WORDS)),
                                         lfb_load_le32(header + WINDOW_AT_BITS)};
  file->generation = lfb_load_le64(header + WINDOW_AT_GENERATION);
  file->began = (lfb_window_moment){{lfb_load_le64(began), lfb_load_le64(began + 8)},
                                    lfb_load_le64(began + 16), lfb_load_le64(began + 24)};
  file->words_at = lfb_load_le64(header + WINDOW_AT_SHARED);
  return lfb_head_is_whole(header, WINDOW_AT_RESERVED) && by_insertions <= 1 &&
                 (span == 0 || lfb_window_is_span(span)) && lfb_window_valid(&file->geometry) &&
                 window_decode_shared(header, file)
             ? LFB_OK
             : LFB_ERROR_BAD_HEADER;
}

lfb_status lfb_window_decode(const unsigned char header[LFB_WINDOW_HEADER], const uint8_t *key,
                             lfb_window_file *file)
{
  lfb_window_file found = {.generation = 0};

  lfb_status status = lfb_head_check(header, LFB_MAGIC_WINDOW, WINDOW_VERSION);
  if (status == LFB_OK)
    status = window_decode_prefix(header, &found);
  if (status != LFB_OK)
    return status;
  status = lfb_native_decode(header + LFB_HEAD_SIZE, key, &found.description);
  if (status == LFB_ERROR_UNKNOWN_FORM)
    return LFB_ERROR_BAD_HEADER; /* the native header is missing */
  if (status != LFB_OK && status != LFB_ERROR_KEY_NEEDED)
    return status;
  if (found.description.strategy->id != LFB_FAST || found.description.config.fpp == 0)
    return LFB_ERROR_BAD_HEADER;
  found.description.form = LFB_FORM_NONE;
  found.config.expected_insertions = found.description.config.expected_insertions;
  found.config.fpp = found.description.config.fpp;
  found.config.keep_key = found.description.config.keep_key;
  *file = found;
  return status;
}

/* ---- writing ---------------------------------------------------------------------- */

/* The generation is that before the first word is read.  The layer that is the oldest then may be
 * cleared meanwhile, and filled again: its keys of before are forgotten indeed. */
static lfb_status window_write_form(const void *what, const lfb_writer *writer)
{
  const lfb_window *window = what;
  const lfb_bit_array words =
      lfb_bit_array_over(window->view.words, window->pages.size / sizeof(lfb_word),
                         (lfb_stripes){0});
  lfb_window_file file = {.description = window->description,
                          .config = window->config,
                          .geometry = window->geometry,
                          .generation = lfb_window_generation(window)};
  unsigned char header[LFB_WINDOW_HEADER];

  file.began = lfb_window_began(window->head, file.generation);
  lfb_window_encode(&file, header);
  const lfb_status status = writer->write(writer->to, header, sizeof header);
  return status != LFB_OK ? status : lfb_form_write_checked(&words, writer);
}

/* ---- reading ---------------------------------------------------------------------- */

/* Reads the rest of what a shared file has before its words: the generation, and when it began. */
static lfb_status window_read_head(const lfb_reader *reader, lfb_window_file *file)
{
  lfb_window_head head;

  if (file->other_order)
    return LFB_ERROR_BYTE_ORDER;
  lfb_status status = lfb_form_read_bytes(reader, &head, sizeof head);
  if (status == LFB_OK)
    status = lfb_form_skip(reader, LFB_WINDOW_HEAD + sizeof head, file->words_at);
  if (status != LFB_OK)
    return status;
  /* relaxed: a copy of this thread's own. */
  file->generation = atomic_load_explicit(&head.generation, memory_order_relaxed);
  file->began = lfb_window_began(&head, file->generation);
  return lfb_window_is_generation(&file->geometry, file->generation) ? LFB_OK
                                                                     : LFB_ERROR_BAD_HEADER;
}

/* Reads and checks the words. */
static lfb_status window_take_words(const lfb_reader *reader, const lfb_window_file *file,
                                    lfb_words *words)
{
  const uint64_t bytes = lfb_window_bytes(&file->geometry);
  const bool shared = file->words_at != 0;

  const lfb_status status = lfb_form_take_words(
      reader, shared ? lfb_byte_order_here() : LFB_ORDER_LITTLE, bytes, words);
  return status == LFB_OK && !shared ? lfb_form_check_words(reader, LFB_WINDOW_HEADER, words)
                                     : status;
}

/* Makes a window of words that were read. */
static lfb_status window_make_read(const lfb_window_file *file, lfb_words *words,
                                   lfb_window **window)
{
  const lfb_window_parts parts = {.words = words->pages};
  const lfb_status status =
      lfb_window_make(&file->description, &file->config, &file->geometry, &parts, window);

  if (status != LFB_OK)
    return status;
  words->pages = (lfb_pages){0}; /* the window's now */
  lfb_window_resume(*window, file->generation, &file->began);
  return LFB_OK;
}

static lfb_status window_read_form(const lfb_reader *reader, void **made)
{
  unsigned char header[LFB_WINDOW_HEADER];
  lfb_window_file file = {.generation = 0};
  lfb_words words = {.checksums = NULL};
  lfb_window *window;

  lfb_status status = lfb_form_read_header(reader, LFB_MAGIC_WINDOW, LFB_ERROR_NOT_WINDOW, header,
                                           sizeof header);
  if (status != LFB_OK)
    return status;
  const lfb_status decoded = lfb_form_decoded(reader, sizeof header,
                                              lfb_window_decode(header, reader->limits.key, &file));
  if (decoded != LFB_OK && (decoded != LFB_ERROR_KEY_NEEDED || reader->limits.damage == NULL))
    return decoded;
  if (file.words_at != 0)
    status = window_read_head(reader, &file);
  if (status == LFB_OK)
    status = window_take_words(reader, &file, &words);
  if (status == LFB_OK)
    status = window_make_read(&file, &words, &window);
  lfb_words_free(&words);
  if (status != LFB_OK)
    return status;
  if (decoded == LFB_OK)
    *made = window;
  else
    lfb_window_free(window); /* only compared: without its key it cannot answer */
  return decoded;
}

const lfb_any_form lfb_any_form_window = {window_write_form, window_read_form};
