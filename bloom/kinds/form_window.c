/*
 * form_window.c - the form of a window filter, and files of it.  It has a prefix, the native header of
 * the plain filter for as many keys, and the cells, with a checksum per MiB.
 *
 * docs/formats.md describes each field.
 */
#include "bloom/files/files.h"
#include "bloom/files/native_header.h"
#include "bloom/kinds/window.h"

/* Where each field is, in bytes from the start, after those of magic.h: docs/formats.md. */
enum {
  WINDOW_AT_GENERATIONS = 16,
  WINDOW_AT_WORDS = 20,
  WINDOW_AT_BITS = 24,
  WINDOW_AT_BY_INSERTIONS = 28,
  WINDOW_AT_BLOCKS = 32,
  WINDOW_AT_GENERATION = 40,
  WINDOW_AT_RESERVED = 48, /* zero up to the checksum */
};

enum {
  WINDOW_VERSION = 1,
  WINDOW_HEADER = LFB_HEAD_SIZE + LFB_NATIVE_HEADER, /* bytes */
};

/* Later generations than any window can have. */
#define WINDOW_LAST_GENERATION (LFB_WINDOW_LAST / 2)

/* ---- writing ---------------------------------------------------------------------- */

/* The generation is that before the first word is read.  A cell of a later generation then counts as
 * expired; what it replaced has expired indeed. */
static lfb_status window_write_form(const void *what, const lfb_writer *writer)
{
  const lfb_window *window = what;
  const lfb_window_geometry *geometry = &window->view.geometry;
  const lfb_bits words = lfb_bits_over(window->view.words, window->pages.size / sizeof(lfb_word));
  unsigned char header[WINDOW_HEADER];

  lfb_head_begin(header, LFB_MAGIC_WINDOW, WINDOW_VERSION);
  lfb_store_le32(header + WINDOW_AT_GENERATIONS, window->config.generations);
  lfb_store_le32(header + WINDOW_AT_WORDS, geometry->words);
  lfb_store_le32(header + WINDOW_AT_BITS, geometry->bits);
  lfb_store_le32(header + WINDOW_AT_BY_INSERTIONS, window->config.by_insertions);
  lfb_store_le64(header + WINDOW_AT_BLOCKS, geometry->blocks);
  lfb_store_le64(header + WINDOW_AT_GENERATION, lfb_window_generation(window));
  lfb_head_end(header);
  lfb_native_encode(&window->description, 0, lfb_native_now(), header + LFB_HEAD_SIZE);
  const lfb_status status = writer->write(writer->to, header, sizeof header);
  return status != LFB_OK ? status : lfb_form_write_checked(&words, writer);
}

lfb_status lfb_window_write(const lfb_window *window, lfb_write_fn write, void *to)
{
  return window_write_form(window, &(lfb_writer){.write = write, .to = to});
}

lfb_status lfb_window_save(const lfb_window *window, const char *path)
{
  const lfb_content content = {.what = window,
                               .secret = lfb_description_writes_key(&window->description),
                               .write = window_write_form};

  return lfb_file_save(&content, path);
}

/* ---- reading ---------------------------------------------------------------------- */

/* What a header says. */
typedef struct window_head {
  lfb_description description;
  lfb_window_config config;
  lfb_window_geometry geometry;
  uint64_t generation;
} window_head;

/* The fields of the prefix.  Fails: LFB_ERROR_BAD_HEADER, _NO_PAIRS. */
static lfb_status window_decode_prefix(const unsigned char *header, window_head *head)
{
  const uint32_t generations = lfb_load_le32(header + WINDOW_AT_GENERATIONS);
  const uint32_t by_insertions = lfb_load_le32(header + WINDOW_AT_BY_INSERTIONS);

  head->geometry = (lfb_window_geometry){
      lfb_load_le64(header + WINDOW_AT_BLOCKS), generations == 7 ? 3 : 2,
      lfb_load_le32(header + WINDOW_AT_WORDS), lfb_load_le32(header + WINDOW_AT_BITS)};
  head->generation = lfb_load_le64(header + WINDOW_AT_GENERATION);
  head->config.generations = generations;
  head->config.by_insertions = by_insertions == 1;
  if (!lfb_head_is_whole(header, WINDOW_AT_RESERVED) || (generations != 3 && generations != 7) ||
      by_insertions > 1 || !lfb_window_valid(&head->geometry) ||
      head->generation < lfb_window_cells(&head->geometry) ||
      head->generation > WINDOW_LAST_GENERATION)
    return LFB_ERROR_BAD_HEADER;
  return head->geometry.words == 1 || lfb_pair_runs_here() ? LFB_OK : LFB_ERROR_NO_PAIRS;
}

/* Checks every field of a header.  With LFB_ERROR_KEY_NEEDED `*head` is written, except the hash. */
static lfb_status window_decode(const unsigned char header[WINDOW_HEADER], const uint8_t *key,
                                window_head *head)
{
  window_head found = {.generation = 0};

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
  *head = found;
  return status;
}

/* Damaged cells are all ones: gives them the tags of live generations, so that no key is lost. */
static void window_revive(const window_head *head, const lfb_words *come)
{
  const lfb_window_geometry *geometry = &head->geometry;
  uint64_t *words = come->pages.address;

  for (uint64_t i = 0; i < geometry->blocks << geometry->shift; i++) {
    uint64_t *cell = words + i * geometry->words, *last = cell + geometry->words - 1;
    const uint32_t number = (uint32_t)(i % lfb_window_cells(geometry));
    if ((*cell & *last) == UINT64_MAX)
      *last = (*last & ~LFB_WINDOW_TAG_MASK) |
              lfb_window_tag(geometry, lfb_window_live(geometry, head->generation, number));
  }
}

/* Reads and checks the cells, and makes a window of them. */
static lfb_status window_read_words(const lfb_reader *reader, const window_head *head,
                                    lfb_window **window)
{
  const uint64_t bytes = lfb_window_bytes(&head->geometry);
  lfb_words come;

  lfb_status status = lfb_form_take_words(reader, LFB_ORDER_LITTLE, bytes, &come);
  if (status != LFB_OK)
    return status;
  status = lfb_form_check_words(reader, WINDOW_HEADER, &come);
  if (status == LFB_OK && come.changed)
    window_revive(head, &come);
  if (status == LFB_OK)
    status = lfb_window_make(&head->description, &head->config, &head->geometry, &come.pages,
                             head->generation, window);
  if (status == LFB_OK)
    come.pages = (lfb_pages){0}; /* the window's now */
  lfb_words_free(&come);
  return status;
}

static lfb_status window_read_form(const lfb_reader *reader, void **made)
{
  unsigned char header[WINDOW_HEADER];
  window_head head = {.generation = 0};
  lfb_window *window;

  lfb_status status = lfb_form_read_header(reader, LFB_MAGIC_WINDOW, LFB_ERROR_NOT_WINDOW, header,
                                           sizeof header);
  if (status != LFB_OK)
    return status;
  const lfb_status decoded = lfb_form_decoded(reader, sizeof header,
                                              window_decode(header, reader->limits.key, &head));
  if (decoded != LFB_OK && (decoded != LFB_ERROR_KEY_NEEDED || reader->limits.damage == NULL))
    return decoded;
  status = window_read_words(reader, &head, &window);
  if (status != LFB_OK)
    return status;
  if (decoded == LFB_OK)
    *made = window;
  else
    lfb_window_free(window); /* only compared: without its key it cannot answer */
  return decoded;
}

lfb_status lfb_window_read(lfb_read_fn read, void *from, const lfb_read_limits *limits,
                           lfb_window **window)
{
  const lfb_reader reader = lfb_reader_of(read, from, limits);
  void *made;
  const lfb_status status = window_read_form(&reader, &made);

  if (status == LFB_OK)
    *window = made;
  return status;
}

lfb_status lfb_window_load(const char *path, const lfb_read_limits *limits, lfb_window **window)
{
  void *made = NULL;
  const lfb_status status = lfb_file_load(path, limits, window_read_form, &made);

  if (status == LFB_OK)
    *window = made;
  else
    lfb_window_free(made);
  return status;
}
