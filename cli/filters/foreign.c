/* foreign.c - recognizes files of other programs by their first bytes. */
#include "cli/filters/foreign.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "cli/input/start.h"

enum { FOREIGN_HEAD = 8 }; /* the longest mark */

/* No form of lfbloom's begins so.  Guava's would have 0 probes where DCSO's has zeros. */
static const struct foreign_row {
  const char *mark;
  size_t size;
  const char *kind;
} foreign_rows[] = {
    /* Its version in 8 bytes.  Source: github.com/DCSO/bloom, bloom.go, Write(). */
    {"\1\0\0\0\0\0\0\0", 8, "a DCSO filter (Go), which lfbloom does not read"},
    /* Versions 1 and 2, and the first bytes of a number of probes.
     * Source: Apache Spark, BloomFilterImpl.java and BloomFilterImplV2.java, writeTo(). */
    {"\0\0\0\1\0\0\0", 7, "a Spark filter, which lfbloom does not read"},
    {"\0\0\0\2\0\0\0", 7, "a Spark filter, which lfbloom does not read"},
    /* Source: github.com/bits-and-blooms/bloom, bloom.go, bloomFilterJSON. */
    {"{\"m\":", 5, "a filter of bits-and-blooms (Go) as JSON, which lfbloom does not read"},
    /* Source: the Java object serialization specification, STREAM_MAGIC and STREAM_VERSION. */
    {"\xac\xed\0\5", 4,
     "a serialized Java object, which lfbloom does not read: write it by Guava's writeTo()"},
    /* Source: the Parquet format, README.md; PARE: with an encrypted footer. */
    {"PAR1", 4, "a Parquet file, which lfbloom does not read"},
    {"PARE", 4, "an encrypted Parquet file, which lfbloom does not read"},
    /* Source: Redis, rdb.c, rdbSaveRio(). */
    {"REDIS", 5, "a dump of Redis, which lfbloom does not read: give redis://host:port/name"},
    {"LFBSEEN\n", 8, "a state of 'lfbloom dedupe --seen', which is no filter"},
    /* Source: RFC 1952, ID1, ID2 and CM; RFC 8878, magic number; the .xz file format, header. */
    {"\x1f\x8b\x08", 3, "compressed with gzip: decompress it first"},
    {"\x28\xb5\x2f\xfd", 4, "compressed with zstd: decompress it first"},
    {"\xfd" "7zXZ\0", 6, "compressed with xz: decompress it first"},
};

const char *foreign_kind(const char *path)
{
  char bytes[FOREIGN_HEAD];
  const int cause = errno;
  const size_t got = start_read(path, bytes, sizeof bytes);

  errno = cause;
  for (size_t i = 0; i < sizeof foreign_rows / sizeof *foreign_rows; i++) {
    const struct foreign_row *row = &foreign_rows[i];
    if (got >= row->size && memcmp(bytes, row->mark, row->size) == 0)
      return row->kind;
  }
  return NULL;
}
