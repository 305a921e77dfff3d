/*
 * verb.inc.h - one verb of one class, for one key and for many; included once for each.
 *
 * Takes  VERB_ONE, VERB_MANY      names for the functions of the two methods
 *        VERB_KEYS, VERB_NUMBERS  names for two functions that the second needs
 *        VERB_ENTER, VERB_LEAVE   as lfbpy_many.enter and .leave (by default nothing)
 *        VERB_TYPE                the library's type
 *        VERB_CALL(suffix)        the library's functions: with nothing and _u64; without VERB_KIND also
 *                                 _many and _many_u64
 *        VERB_KIND, VERB_VERB     for lfb_any_many(): the kind, for all verbs of a file, and the verb
 *        VERB_ARGUMENTS, VERB_ANSWERS  as lfbpy_many.arguments and .answers
 *        VERB_END(self, result)   what becomes of a result other than NULL (by default nothing)
 */

#ifndef VERB_END
#define VERB_END(self, result) (result)
#endif
#ifndef VERB_LEAVE
#define VERB_LEAVE lfbpy_holder_leave
#endif
#ifdef VERB_KIND
#define VERB_CALL_MANY(suffix, of, ...) \
  lfb_any_many##suffix((lfb_any){VERB_KIND, {of}}, VERB_VERB, __VA_ARGS__)
#else
#define VERB_CALL_MANY(suffix, of, ...) VERB_CALL(_many##suffix)((VERB_TYPE *)(of), __VA_ARGS__)
#endif

/* One key.  Keeps the GIL: the call takes less time than to release it. */
static PyObject *VERB_ONE(PyObject *self, PyObject *object)
{
  lfbpy_key key;
  if (!lfbpy_key_of(object, &key))
    return NULL;
  VERB_TYPE *of = VERB_ENTER(self);
  if (of == NULL)
    return NULL;
  const bool answer = key.is_number ? VERB_CALL(_u64)(of, key.number)
                                    : VERB_CALL()(of, key.bytes.bytes, key.bytes.size);
  VERB_LEAVE(self);
  return VERB_END(self, PyBool_FromLong(answer));
}

static size_t VERB_KEYS(void *of, const lfb_key *keys, size_t count, uint64_t *answers)
{
  return VERB_CALL_MANY(, of, keys, count, answers);
}

static size_t VERB_NUMBERS(void *of, const uint64_t *keys, size_t count, uint64_t *answers)
{
  return VERB_CALL_MANY(_u64, of, keys, count, answers);
}

static PyObject *VERB_MANY(PyObject *self, PyObject *args, PyObject *kwargs)
{
  static const lfbpy_many many = {VERB_ARGUMENTS, VERB_ANSWERS, VERB_ENTER,
                                  VERB_LEAVE, VERB_KEYS, VERB_NUMBERS};
  PyObject *result = lfbpy_many_call(self, args, kwargs, &many);
  return result == NULL ? NULL : VERB_END(self, result);
}

#undef VERB_ONE
#undef VERB_MANY
#undef VERB_KEYS
#undef VERB_NUMBERS
#undef VERB_ENTER
#undef VERB_LEAVE
#undef VERB_TYPE
#undef VERB_CALL
#undef VERB_CALL_MANY
#undef VERB_VERB
#undef VERB_ARGUMENTS
#undef VERB_ANSWERS
#undef VERB_END
