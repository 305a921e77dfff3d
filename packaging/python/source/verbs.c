/* verbs.c - the methods that put, claim, query and remove keys, for all classes that have them. */

#include <lfbloom/cpu.h>
#include <lfbloom/versions.h>

#include "packaging/python/source/answers.h"
#include "packaging/python/source/error.h"
#include "packaging/python/source/holder.h"
#include "packaging/python/source/key.h"
#include "packaging/python/source/keys.h"

/* ---- one key --------------------------------------------------------------------------------- */

/* What has a verb, with the noun of its functions: those with claim(), and all that have put(). */
#define VERB_CLAIMERS(X, name)       \
  X(LFB_KIND_PLAIN, filter, name)    \
  X(LFB_KIND_GROWING, growing, name) \
  X(LFB_KIND_WINDOW, window, name)
#define VERB_PUTTERS(X, name)          \
  VERB_CLAIMERS(X, name)               \
  X(LFB_KIND_COUNTING, counting, name) \
  X(LFBPY_VERSIONS, versions, name)

#define VERB_NUMBER(what, noun, name) \
  case what:                          \
    return lfb_##noun##_##name##_u64(any.filter, key);
#define VERB_BYTES(what, noun, name) \
  case what: return lfb_##noun##_##name(any.filter, key.bytes, key.size);

LFB_INLINE bool verb_number(lfb_any any, lfb_verb verb, uint64_t key)
{
  const int what = (int)any.kind;
  if (verb == LFB_REMOVE)
    return lfb_counting_remove_u64(any.counting, key);
  if (verb == LFB_PUT)
    switch (what) {
      VERB_PUTTERS(VERB_NUMBER, put)
    }
  if (verb == LFB_CLAIM)
    switch (what) {
      VERB_CLAIMERS(VERB_NUMBER, claim)
    }
  switch (what) {
    VERB_PUTTERS(VERB_NUMBER, might_contain)
  }
  return false;
}

LFB_INLINE bool verb_bytes(lfb_any any, lfb_verb verb, lfb_key key)
{
  const int what = (int)any.kind;
  if (verb == LFB_REMOVE)
    return lfb_counting_remove(any.counting, key.bytes, key.size);
  if (verb == LFB_PUT)
    switch (what) {
      VERB_PUTTERS(VERB_BYTES, put)
    }
  if (verb == LFB_CLAIM)
    switch (what) {
      VERB_CLAIMERS(VERB_BYTES, claim)
    }
  switch (what) {
    VERB_PUTTERS(VERB_BYTES, might_contain)
  }
  return false;
}

/* Gives the result of a call, or NULL.  Raises FullError instead, if a Counting has not stored all
 * keys, or if a Growing is full and cannot grow: then a False in the result may be wrong. */
static PyObject *verb_end(PyObject *self, lfb_verb verb, bool all, PyObject *result)
{
  const lfbpy_holder *holder = (lfbpy_holder *)self;
  lfbpy_outcome outcome = {LFB_OK, 0};
  if (verb == LFB_MIGHT_CONTAIN || result == NULL || all)
    return result;
  if (holder->what == LFB_KIND_COUNTING && verb == LFB_PUT)
    outcome.status = LFB_ERROR_FULL;
  else if (holder->what == LFB_KIND_GROWING)
    outcome = LFBPY_OUTCOME(lfb_growing_stuck(holder->object));
  return outcome.status == LFB_OK ? result : lfbpy_raise_full(outcome, result);
}

LFB_INLINE PyObject *verb_answer(PyObject *self, lfb_verb verb, bool answer)
{
  PyObject *result = answer ? Py_True : Py_False;
  Py_INCREF(result);
  if (((lfbpy_holder *)self)->what == LFB_KIND_PLAIN)
    return result;
  lfbpy_leave(self);
  return verb_end(self, verb, answer, result);
}

/* One key.  An exact int has a path of its own, since the call of the library takes as long as that
 * of Python. */
LFB_INLINE PyObject *verb_one(PyObject *self, PyObject *object, lfb_verb verb)
{
  lfb_any any;
  uint64_t number;
  lfbpy_key key = {.alone = true};
  if (PyLong_CheckExact(object)) {
    if (!lfbpy_key_of_int(object, &number) || (any = lfbpy_enter(self, verb != LFB_MIGHT_CONTAIN)).filter == NULL)
      return NULL;
    return verb_answer(self, verb, verb_number(any, verb, number));
  }
  if (!lfbpy_key_of(object, &key) || (any = lfbpy_enter(self, verb != LFB_MIGHT_CONTAIN)).filter == NULL)
    return NULL;
  return verb_answer(self, verb, key.is_number ? verb_number(any, verb, key.number) : verb_bytes(any, verb, key.bytes));
}

PyObject *lfbpy_put(PyObject *self, PyObject *key)
{
  return verb_one(self, key, LFB_PUT);
}

PyObject *lfbpy_claim(PyObject *self, PyObject *key)
{
  return verb_one(self, key, LFB_CLAIM);
}

PyObject *lfbpy_might_contain(PyObject *self, PyObject *key)
{
  return verb_one(self, key, LFB_MIGHT_CONTAIN);
}

PyObject *lfbpy_remove(PyObject *self, PyObject *key)
{
  return verb_one(self, key, LFB_REMOVE);
}

int lfbpy_contains(PyObject *self, PyObject *key)
{
  PyObject *answer = lfbpy_might_contain(self, key);
  Py_XDECREF(answer);
  return answer == NULL ? -1 : answer == Py_True;
}

/* ---- many keys ------------------------------------------------------------------------------- */

/* A call in progress. */
typedef struct many_call {
  lfb_verb verb;
  lfb_any any;
  lfbpy_keys keys;
  lfbpy_answers answers;
  size_t count; /* of the keys of all rounds so far */
} many_call;

static size_t call_numbers(const many_call *call, const uint64_t *keys, size_t count, uint64_t *answers)
{
  if (call->any.kind != LFB_KIND_NONE)
    return lfb_any_many_u64(call->any, call->verb, keys, count, answers);
  return lfb_versions_many(call->any.filter, call->verb, keys, count, answers, LFB_U64_KEY);
}

static size_t call_strings(const many_call *call, const lfb_key *keys, size_t count, uint64_t *answers)
{
  if (call->any.kind != LFB_KIND_NONE)
    return lfb_any_many(call->any, call->verb, keys, count, answers);
  return lfb_versions_many(call->any.filter, call->verb, keys, count, answers, LFB_BYTES_KEY);
}

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
    call->answers.trues += call_numbers(call, keys->numbers + from, count, answers);
  } else {
    if (keys->layout == LFBPY_LIST)
      piece = keys->list + from;
    else if (lfbpy_keys_piece(&call->keys, from) == 0)
      return 0;
    call->answers.trues += call_strings(call, piece, count, answers);
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
 * of the library. */
static bool call_round(many_call *call)
{
  const lfbpy_keys *keys = &call->keys;
  size_t *trues = &call->answers.trues;

  if (call->answers.wanted || keys->layout == LFBPY_FIXED || keys->layout == LFBPY_OFFSETS)
    return call_pieces(call);
  if (keys->layout == LFBPY_NUMBERS)
    *trues += call_numbers(call, keys->numbers, keys->count, NULL);
  else
    *trues += call_strings(call, keys->list, keys->count, NULL);
  return true;
}

static bool call_round_of(PyObject *self, many_call *call)
{
  if (!lfbpy_answers_room(&call->answers, call->keys.count, call->keys.iterator == NULL) ||
      (call->any = lfbpy_enter(self, call->verb != LFB_MIGHT_CONTAIN)).filter == NULL)
    return false;
  bool fine = false;
  LFBPY_WITHOUT_GIL(fine = call_round(call));
  lfbpy_leave(self);
  if (!fine)
    PyErr_SetString(PyExc_RuntimeError, "the offsets were changed during the call");
  return fine;
}

static PyObject *call_rounds(PyObject *self, many_call *call)
{
  do {
    if (!call_round_of(self, call))
      return NULL;
    call->count += call->keys.count;
    if (!lfbpy_keys_next(&call->keys))
      return NULL;
  } while (call->keys.count > 0);
  return verb_end(self, call->verb, call->answers.trues == call->count,
                  lfbpy_answers_result(&call->answers));
}

/* A call with answers for each key by default, unless it puts. */
static PyObject *verb_many(PyObject *self, PyObject *args, PyObject *kwargs, lfb_verb verb,
                           const char *format)
{
  static char *names[] = {"keys", "offsets", "answers", NULL};
  PyObject *keys = NULL, *offsets = NULL, *answers = NULL;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, format, names, &keys, &offsets, &answers))
    return NULL;

  many_call call = {.verb = verb};
  PyObject *result = NULL;
  if (lfbpy_answers_open(&call.answers, answers, verb != LFB_PUT) &&
      lfbpy_keys_open(&call.keys, keys, offsets))
    result = call_rounds(self, &call);
  lfbpy_keys_close(&call.keys);
  lfbpy_answers_close(&call.answers);
  return result;
}

PyObject *lfbpy_put_many(PyObject *self, PyObject *args, PyObject *kwargs)
{
  return verb_many(self, args, kwargs, LFB_PUT, "O|O$O:put_many");
}

PyObject *lfbpy_claim_many(PyObject *self, PyObject *args, PyObject *kwargs)
{
  return verb_many(self, args, kwargs, LFB_CLAIM, "O|O$O:claim_many");
}

PyObject *lfbpy_might_contain_many(PyObject *self, PyObject *args, PyObject *kwargs)
{
  return verb_many(self, args, kwargs, LFB_MIGHT_CONTAIN, "O|O$O:might_contain_many");
}

PyObject *lfbpy_remove_many(PyObject *self, PyObject *args, PyObject *kwargs)
{
  return verb_many(self, args, kwargs, LFB_REMOVE, "O|O$O:remove_many");
}
