/* start.c - the marks that files begin with. */
#define _GNU_SOURCE /* O_CLOEXEC */
#include "cli/input/start.h"

#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define START_FILTER \
  "is a filter, not a list of keys (to query several filters, give each with -f)"
#define START_UTF_16 "is text in UTF-16: pass it through 'iconv -f UTF-16 -t UTF-8'"

enum { START_ANY_DIGIT = '?' }; /* in a mark: one of 1 to 9 */

static const struct start_row {
  const char *mark;
  size_t size;
  const struct codec *codec; /* NULL: refused */
  const char *why;
  bool lines; /* not if keys end in NUL: such bytes may be a key's */
} start_rows[] = {
    /* Source: RFC 1952, ID1, ID2 and CM; RFC 8878, magic number; the .xz file format, header. */
    {"\x1f\x8b\x08", 3, &codec_gzip, NULL, false},
    {"\x28\xb5\x2f\xfd", 4, &codec_zstd, NULL, false},
    {"\xfd" "7zXZ\0", 6, &codec_xz, NULL, false},
    /* Source: bzip2's block header; the LZ4 frame format; RFC draft lzip; APPNOTE.TXT of ZIP;
     * 7zFormat.txt. */
    {"BZh?1AY&SY", 10, NULL, "is compressed with bzip2: pass it through 'bzip2 -dc'", false},
    {"\x04\x22\x4d\x18", 4, NULL, "is compressed with lz4: pass it through 'lz4 -dc'", false},
    {"LZIP\1", 5, NULL, "is compressed with lzip: pass it through 'lzip -dc'", false},
    {"PK\3\4", 4, NULL, "is a ZIP archive: pass it through 'unzip -p'", false},
    {"7z\xbc\xaf\x27\x1c", 6, NULL, "is a 7z archive: extract it first", false},
    {"\xff\xfe", 2, NULL, START_UTF_16, true},
    {"\xfe\xff", 2, NULL, START_UTF_16, true},
    /* docs/formats.md; the delta's mark among them. */
    {"LFBLOOM\n", 8, NULL, START_FILTER, false},
    {"LFBMAPD\n", 8, NULL, START_FILTER, false},
    {"LFBCNTS\n", 8, NULL, START_FILTER, false},
    {"LFBGROW\n", 8, NULL, START_FILTER, false},
    {"LFBGMAP\n", 8, NULL, START_FILTER, false},
    {"LFBWIND\n", 8, NULL, START_FILTER, false},
    {"LFBSEEN\n", 8, NULL, "is a state of 'dedupe --seen', not a list of keys", false},
    {"LFBDELT\n", 8, NULL, "is a delta, not a list of keys ('lfbloom patch' applies it)", false},
};

size_t start_read(const char *path, char *bytes, size_t size)
{
  struct stat found;

  if (stat(path, &found) != 0 || !S_ISREG(found.st_mode))
    return 0;
  const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
  if (fd < 0)
    return 0;
  const ssize_t got = pread(fd, bytes, size, 0);
  (void)close(fd);
  return got < 0 ? 0 : (size_t)got;
}

static bool start_matches(const struct start_row *row, const char *bytes, size_t size)
{
  for (size_t i = 0; i < size; i++)
    if (row->mark[i] == START_ANY_DIGIT ? bytes[i] < '1' || bytes[i] > '9'
                                        : bytes[i] != row->mark[i])
      return false;
  return true;
}

struct start start_of(const char *bytes, size_t size, char delimiter)
{
  struct start start = {START_TEXT, NULL, NULL};

  for (size_t i = 0; i < sizeof start_rows / sizeof *start_rows; i++) {
    const struct start_row *row = &start_rows[i];
    if ((row->lines && delimiter != '\n') ||
        !start_matches(row, bytes, size < row->size ? size : row->size))
      continue;
    if (size >= row->size)
      return (struct start){row->codec != NULL ? START_PACKED : START_REFUSED, row->codec,
                            row->why};
    start.kind = START_OPEN;
  }
  return start;
}

const char *start_no_json_lines(const char *bytes, size_t size)
{
  size_t i = size >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0 ? 3 : 0; /* a byte order mark */

  while (i < size && (bytes[i] == ' ' || (bytes[i] >= '\t' && bytes[i] <= '\r')))
    i++;
  /* Source: RFC 8259, section 5; RFC 7464, section 2.1. */
  if (i < size && bytes[i] == '[')
    return "is a JSON array, not an object in each line: pass it through \"jq -c '.[]'\"";
  if (i < size && bytes[i] == '\36')
    return "is a JSON text sequence (RFC 7464), not an object in each line: pass it through "
           "\"tr -d '\\36' | jq -c .\"";
  return NULL;
}
