/*
 * foreign.h - recognizes files of other programs, for error messages.
 */
#ifndef CLI_FILTERS_FOREIGN_H
#define CLI_FILTERS_FOREIGN_H

/*
 * Returns what the file at `path`, which is no filter, is instead: "a Parquet file, which ...".
 * NULL if that is unknown, or if it is not a regular file.  Many formats have no mark: NULL for
 * them, too.  Keeps errno.
 */
const char *foreign_kind(const char *path);

#endif
