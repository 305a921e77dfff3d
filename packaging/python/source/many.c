/* many.c - see many.h. */
#include "packaging/python/source/many.h"

#include "packaging/python/source/answers.h"
#include "packaging/python/source/keys.h"

/* A call in progress. */
typedef struct many_call {
  const lfbpy_many *many;
  void *object;
  lfbpy_keys keys;
  lfbpy_answers answers;
} many_call;

/* Does the keys from `from`, at most a piece of them.  Returns how many; 0: offsets went wrong. */
static size_t call_piece(many_call *call, size_t from)
{
  const lfbpy_keys *keys = &call->keys;
  uint64_t words[LFBPY_KEYS_PIECE / 64];
  const lfb_key *piece = keys->piece;
  size_t count = keys->count - from;

  if (count > LFBPY_KEYS_PIECE)
    count = LFBPY_KEYS_PIECE;
  uint64_t *answers = call->answers.wanted ? words : NULL;
  if (keys->layout == LFBPY_NUMBERS) {
    call->answers.trues += call->many->numbers(call->object, keys->numbers + from, count, answers);
  } else {
    if (keys->layout == LFBPY_LIST)
      piece = keys->list + from;
    else if (lfbpy_keys_piece(&call->keys, from) == 0)
      return 0;
    call->answers.trues += call->many->keys(call->object, piece, count, answers);
  }
  if (answers != NULL)
    lfbpy_answers_write(&call->answers, answers, count);
  return count;
}

static bool call_pieces(many_call *call)
{
  size_t count = 0;
  for (size_t from = 0; from < call->keys.count; from += count) {
    count = call_piece(call, from);
    if (count == 0)
      return false;
  }
  return true;
}

/* Does all keys of a round, without the GIL.  Without answers, keys that lie in a row are one call
 * of the library, which may be a big batch. */
static bool call_round(many_call *call)
{
  const lfbpy_keys *keys = &call->keys;
  size_t *trues = &call->answers.trues;

  if (call->answers.wanted || keys->layout == LFBPY_FIXED || keys->layout == LFBPY_OFFSETS)
    return call_pieces(call);
  if (keys->layout == LFBPY_NUMBERS)
    *trues += call->many->numbers(call->object, keys->numbers, keys->count, NULL);
  else
    *trues += call->many->keys(call->object, keys->list, keys->count, NULL);
  return true;
}

static bool call_round_of(PyObject *self, many_call *call)
{
  if (!lfbpy_answers_room(&call->answers, call->keys.count, call->keys.iterator == NULL))
    return false;
  call->object = call->many->enter(self);
  if (call->object == NULL)
    return false;
  bool fine = false;
  Py_BEGIN_ALLOW_THREADS
  fine = call_round(call);
  Py_END_ALLOW_THREADS
  call->many->leave(self);
  if (!fine)
    PyErr_SetString(PyExc_RuntimeError, "the offsets were changed during the call");
  return fine;
}

static PyObject *call_rounds(PyObject *self, many_call *call)
{
  do {
    if (!call_round_of(self, call) || !lfbpy_keys_next(&call->keys))
      return NULL;
  } while (call->keys.count > 0);
  return lfbpy_answers_result(&call->answers);
}

PyObject *lfbpy_many_call(PyObject *self, PyObject *args, PyObject *kwargs, const lfbpy_many *many)
{
  static char *names[] = {"keys", "offsets", "answers", NULL};
  PyObject *keys = NULL, *offsets = NULL, *answers = NULL;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, many->arguments, names, &keys, &offsets,
                                   &answers))
    return NULL;

  many_call call = {.many = many};
  PyObject *result = NULL;
  if (lfbpy_answers_open(&call.answers, answers, many->answers) &&
      lfbpy_keys_open(&call.keys, keys, offsets))
    result = call_rounds(self, &call);
  lfbpy_keys_close(&call.keys);
  lfbpy_answers_close(&call.answers);
  return result;
}
