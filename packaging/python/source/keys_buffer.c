/* keys_buffer.c - keys in the memory of NumPy arrays, Arrow columns and other buffers. */
#include <string.h>

#include "packaging/python/source/keys.h"

/* The letter of a format such as "L", "=q" or "12s"; 0 if it is not in this processor's order. */
static char buffer_letter(const char *format)
{
  const uint16_t one = 1;
  const bool little = *(const char *)&one == 1;

  if (format == NULL)
    return 'B';
  if (*format == (little ? '>' : '<') || (little && *format == '!'))
    return 0;
  if (*format != '\0' && strchr("@=<>!", *format) != NULL)
    format++;
  while (*format >= '0' && *format <= '9')
    format++;
  return strlen(format) == 1 ? *format : 0;
}

/* Whether the view has integers of `size` bytes, with one of these letters. */
static bool buffer_is(const Py_buffer *view, size_t size, const char *letters)
{
  const char letter = buffer_letter(view->format);
  return view->itemsize == (Py_ssize_t)size && letter != 0 && strchr(letters, letter) != NULL;
}

/* Refuses a buffer.  The text says what to do instead. */
static lfbpy_opened buffer_refused(const Py_buffer *view)
{
  const char *format = view->format == NULL ? "B" : view->format;
  const size_t length = strlen(format);
  if (length > 0 && format[length - 1] == 'w')
    PyErr_SetString(PyExc_TypeError,
                    "an array of dtype U holds UTF-32, not UTF-8: pass array.tolist(), or for "
                    "ASCII array.astype('S')");
  else
    PyErr_Format(PyExc_TypeError,
                 "a buffer of format '%s' holds no keys: 64-bit integers (array.astype('u8')) or "
                 "fixed strings (dtype S) are expected, or values with offsets",
                 format);
  return LFBPY_REFUSED;
}

/* Copies numbers that are not in a row, or not aligned. */
static bool buffer_copy(lfbpy_keys *keys, Py_ssize_t stride)
{
  if (!lfbpy_keys_room(&keys->memory, keys->count, sizeof(uint64_t)))
    return false;
  uint64_t *numbers = keys->memory;
  const char *from = keys->view.buf;
  for (size_t i = 0; i < keys->count; i++, from += stride)
    memcpy(&numbers[i], from, sizeof *numbers);
  keys->numbers = numbers;
  return true;
}

static bool buffer_numbers(lfbpy_keys *keys, Py_ssize_t stride)
{
  keys->layout = LFBPY_NUMBERS;
  keys->numbers = keys->view.buf;
  if (stride == sizeof(uint64_t) && (uintptr_t)keys->view.buf % _Alignof(uint64_t) == 0)
    return true;
  return buffer_copy(keys, stride);
}

static bool buffer_piece(lfbpy_keys *keys)
{
  void *piece = NULL;
  if (!lfbpy_keys_room(&piece, LFBPY_KEYS_PIECE, sizeof(lfb_key)))
    return false;
  keys->piece = piece;
  return true;
}

static bool buffer_strings(lfbpy_keys *keys, Py_ssize_t stride)
{
  keys->layout = LFBPY_FIXED;
  keys->first = keys->view.buf;
  keys->width = (size_t)keys->view.itemsize;
  keys->stride = stride;
  return buffer_piece(keys);
}

/* Opens a view of one dimension by what its format says. */
static lfbpy_opened buffer_open_view(lfbpy_keys *keys)
{
  const Py_buffer *view = &keys->view;
  /* ctypes leaves out the strides of its arrays, although they are asked for. */
  const Py_ssize_t stride = view->strides != NULL ? view->strides[0] : view->itemsize;
  bool opened = false;

  keys->count = (size_t)view->shape[0];
  if (buffer_is(view, sizeof(uint64_t), "QLNqln"))
    opened = buffer_numbers(keys, stride);
  else if (buffer_letter(view->format) == 's')
    opened = buffer_strings(keys, stride);
  else
    return buffer_refused(view);
  return opened ? LFBPY_OPENED : LFBPY_REFUSED;
}

/* Clears the exception of an object that gives no buffer; others stay. */
static lfbpy_opened buffer_none(void)
{
  if (!PyErr_ExceptionMatches(PyExc_TypeError) && !PyErr_ExceptionMatches(PyExc_BufferError) &&
      !PyErr_ExceptionMatches(PyExc_ValueError))
    return LFBPY_REFUSED;
  PyErr_Clear();
  return LFBPY_NO_BUFFER;
}

lfbpy_opened lfbpy_keys_open_buffer(lfbpy_keys *keys, PyObject *object)
{
  if (PyList_CheckExact(object) || PyTuple_CheckExact(object))
    return LFBPY_NO_BUFFER;
  if (PyObject_GetBuffer(object, &keys->view, PyBUF_STRIDES | PyBUF_FORMAT) < 0)
    return buffer_none();
  if (keys->view.ndim != 1) {
    PyErr_Format(PyExc_ValueError, "keys must have one dimension, not %d", keys->view.ndim);
    return LFBPY_REFUSED;
  }
  if (buffer_letter(keys->view.format) == 'O') {
    PyBuffer_Release(&keys->view);
    return LFBPY_NO_BUFFER;
  }
  return buffer_open_view(keys);
}

/* ---- values and offsets ------------------------------------------------------------------- */

/* Offset i; negative if another thread made it so. */
static int64_t offset_at(const lfbpy_keys *keys, size_t i)
{
  int64_t wide = 0;
  int32_t narrow = 0;
  if (keys->offset_size == sizeof wide) {
    memcpy(&wide, keys->offsets + i * sizeof wide, sizeof wide);
    return wide;
  }
  memcpy(&narrow, keys->offsets + i * sizeof narrow, sizeof narrow);
  return narrow;
}

/* Whether key i is within the values; each offset is read once. */
static bool offset_key(const lfbpy_keys *keys, int64_t *begin, size_t i, lfb_key *key)
{
  const int64_t end = offset_at(keys, i + 1);
  if (*begin < 0 || end < *begin || (uint64_t)end > keys->width)
    return false;
  *key = (lfb_key){keys->first + *begin, (size_t)(end - *begin)};
  *begin = end;
  return true;
}

static bool offsets_check(const lfbpy_keys *keys)
{
  lfb_key key;
  int64_t begin = keys->count > 0 ? offset_at(keys, 0) : 0;
  for (size_t i = 0; i < keys->count; i++) {
    if (!offset_key(keys, &begin, i, &key)) {
      PyErr_Format(PyExc_ValueError, "offset %zu is out of order, or outside the values", i + 1);
      return false;
    }
  }
  return true;
}

/* Opens the offsets: signed integers of 4 or 8 bytes in a row. */
static bool offsets_open(lfbpy_keys *keys, PyObject *offsets)
{
  Py_buffer *view = &keys->offsets_view;
  if (PyObject_GetBuffer(offsets, view, PyBUF_ND | PyBUF_FORMAT) < 0)
    return false;
  const bool narrow = buffer_is(view, sizeof(int32_t), "il");
  if (view->ndim != 1 || (!narrow && !buffer_is(view, sizeof(int64_t), "qln"))) {
    PyErr_SetString(PyExc_TypeError,
                    "offsets must be signed integers of 32 or 64 bits; of bytes: "
                    "memoryview(offsets).cast('B').cast('i'), or 'q' for 64 bits");
    return false;
  }
  keys->offsets = view->buf;
  keys->offset_size = narrow ? sizeof(int32_t) : sizeof(int64_t);
  keys->count = view->shape[0] > 0 ? (size_t)view->shape[0] - 1 : 0;
  return true;
}

bool lfbpy_keys_open_offsets(lfbpy_keys *keys, PyObject *values, PyObject *offsets)
{
  if (PyObject_GetBuffer(values, &keys->view, PyBUF_SIMPLE) < 0 || !offsets_open(keys, offsets))
    return false;
  keys->layout = LFBPY_OFFSETS;
  keys->first = keys->view.buf;
  keys->width = (size_t)keys->view.len;
  return offsets_check(keys) && buffer_piece(keys);
}

/* ---- pieces ------------------------------------------------------------------------------- */

static lfb_key fixed_key(const lfbpy_keys *keys, size_t i)
{
  const char *bytes = keys->first + (Py_ssize_t)i * keys->stride;
  size_t size = keys->width;
  while (size > 0 && bytes[size - 1] == '\0')
    size--;
  return (lfb_key){bytes, size};
}

size_t lfbpy_keys_piece(lfbpy_keys *keys, size_t from)
{
  const size_t left = keys->count - from;
  const size_t count = left < LFBPY_KEYS_PIECE ? left : LFBPY_KEYS_PIECE;
  int64_t begin = keys->layout == LFBPY_OFFSETS ? offset_at(keys, from) : 0;

  for (size_t i = 0; i < count; i++) {
    if (keys->layout == LFBPY_FIXED)
      keys->piece[i] = fixed_key(keys, from + i);
    else if (!offset_key(keys, &begin, from + i, &keys->piece[i]))
      return 0;
  }
  return count;
}
