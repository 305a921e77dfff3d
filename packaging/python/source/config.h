/* config.h - the arguments that describe a filter to make or to read. */
#ifndef LFBPY_CONFIG_H
#define LFBPY_CONFIG_H

#include <lfbloom/any.h>

#include "packaging/python/source/python.h"

/* The arguments of a class, after those that the class itself has. */
#define LFBPY_CONFIG_SIGNATURE "expected_insertions, fpp, " LFBPY_CONFIG_REST
#define LFBPY_CONFIG_REST                                          \
  "*, strategy=None, hash=None, seed=0, key=None, "                \
  "keep_key=False, memory='balanced', probes_formula='guava-31', " \
  "lazy_memory=False, foldable=False, copies=0, like=None"

/* The same for Growing, in which expected_insertions is only a first guess; 0: unknown. */
#define LFBPY_CONFIG_GROWING_SIGNATURE "expected_insertions=0, fpp=None, " LFBPY_CONFIG_REST

/* What to make.  All zero before parsing. */
typedef struct lfbpy_config {
  lfb_config config;        /* except of a Window                  */
  lfb_window_config window; /* of a Window                         */
  PyObject *path;           /* bytes; NULL unless it was asked for */
} lfbpy_config;

/* Takes LFBPY_CONFIG_SIGNATURE; for LFB_KIND_GROWING LFBPY_CONFIG_GROWING_SIGNATURE, in which a
 * missing fpp is a TypeError, too; for LFB_KIND_WINDOW the arguments of Window().  If `with_path`,
 * there is a path before them, and file_mode=0 after them.  Call lfbpy_config_close() in any
 * case. */
bool lfbpy_config_parse(PyObject *args, PyObject *kwargs, lfb_kind kind, bool with_path,
                        lfbpy_config *config);
void lfbpy_config_close(lfbpy_config *config);

/* What to read, and how.  All zero before parsing. */
typedef struct lfbpy_source {
  PyObject *path;  /* bytes                                      */
  PyObject *bytes; /* object with a buffer; belongs to the caller */
  uint64_t max_bytes;
  uint8_t key[16];
  bool has_key;
  bool open_damaged;
  bool read_only;
} lfbpy_source;

/* Takes (path, *, max_bytes=0, key=None, open_damaged=False), or the same with data in the place of
 * the path. */
bool lfbpy_source_parse(PyObject *args, PyObject *kwargs, bool with_path, lfbpy_source *source);
/* Takes (path, *, read_only=False, max_bytes=0, key=None). */
bool lfbpy_source_parse_mapped(PyObject *args, PyObject *kwargs, lfbpy_source *source);
lfb_read_limits lfbpy_source_limits(const lfbpy_source *source);
void lfbpy_source_close(lfbpy_source *source);

/* Converters for PyArg_ParseTupleAndKeywords(). */
int lfbpy_to_u64(PyObject *object, void *number);
int lfbpy_to_form(PyObject *object, void *form);

#endif
