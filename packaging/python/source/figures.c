/* figures.c - the library's figures as Python dicts, with the names of their fields. */
#include "packaging/python/source/classes.h"

typedef unsigned long long ull; /* what Py_BuildValue() calls K */

/* "N" of Py_BuildValue() takes the reference, and reports a NULL. */
static PyObject *figures_count(uint64_t count)
{
  if (count != UINT64_MAX)
    return PyLong_FromUnsignedLongLong(count);
  return Py_NewRef(Py_None);
}

static PyObject *figures_filter(const lfb_stats *stats)
{
  return Py_BuildValue(
      "{s:s,s:s,s:K,s:d,s:K,s:K,s:I,s:I,s:s,s:N,s:K,s:K,s:K,s:N,s:N,s:d,s:K,s:K,s:K,s:K,s:K}",
      "strategy", lfb_strategy_name(stats->strategy), "form", lfb_form_name(stats->form),
      "expected_insertions", (ull)stats->expected_insertions, "fpp", stats->fpp,
      "bit_count", (ull)stats->bit_count, "reachable_bits", (ull)stats->reachable_bits,
      "probes", (unsigned)stats->probes, "words_per_key", (unsigned)stats->words_per_key,
      "hash", lfb_hash_name(stats->hash), "key_kept", PyBool_FromLong(stats->key_kept),
      "seed", (ull)stats->seed, "bytes", (ull)stats->bytes, "bits_set", (ull)stats->bits_set,
      "saturated", PyBool_FromLong(stats->saturated),
      "approximate_count", figures_count(stats->approximate_count),
      "expected_fpp", stats->expected_fpp, "written", (ull)stats->written,
      "counters_stuck", (ull)stats->counters_stuck, "copies", (ull)stats->copies,
      "slots", (ull)stats->slots, "puts_refused", (ull)stats->puts_refused);
}

static PyObject *figures_growing(const lfb_growing_figures *figures)
{
  return Py_BuildValue(
      "{s:s,s:K,s:d,s:I,s:s,s:N,s:K,s:K,s:K,s:K,s:N,s:d,s:i,s:K}",
      "strategy", lfb_strategy_name(figures->strategy),
      "first_insertions", (ull)figures->first_insertions, "fpp", figures->fpp,
      "layers", (unsigned)figures->layers, "hash", lfb_hash_name(figures->hash),
      "key_kept", PyBool_FromLong(figures->key_kept), "seed", (ull)figures->seed,
      "bit_count", (ull)figures->bit_count, "bytes", (ull)figures->bytes,
      "bits_set", (ull)figures->bits_set,
      "approximate_count", figures_count(figures->approximate_count),
      "expected_fpp", figures->expected_fpp, "stuck", (int)figures->stuck,
      "written", (ull)figures->written);
}

/* The live generations, the current one first: a list of dicts. */
static PyObject *figures_live(const lfb_window_figures *figures)
{
  PyObject *live = PyList_New(0);
  for (uint32_t i = 0; live != NULL && i <= figures->generations; i++) {
    PyObject *one = Py_BuildValue("{s:K,s:N}", "bits_set", (ull)figures->live[i].bits_set,
                                  "approximate_count",
                                  figures_count(figures->live[i].approximate_count));
    if (one == NULL || PyList_Append(live, one) < 0)
      Py_CLEAR(live);
    Py_XDECREF(one);
  }
  return live;
}

static PyObject *figures_window(const lfb_window_figures *figures)
{
  return Py_BuildValue("{s:K,s:d,s:d,s:I,s:I,s:I,s:s,s:N,s:K,s:K,s:K,s:d,s:N}",
                       "expected_insertions", (ull)figures->expected_insertions,
                       "fpp", figures->fpp, "span", figures->span,
                       "generations", (unsigned)figures->generations,
                       "probes", (unsigned)figures->probes,
                       "block_words", (unsigned)figures->block_words,
                       "hash", lfb_hash_name(figures->hash),
                       "key_kept", PyBool_FromLong(figures->key_kept),
                       "generation", (ull)figures->generation, "bytes", (ull)figures->bytes,
                       "bit_count", (ull)figures->bit_count, "expected_fpp", figures->expected_fpp,
                       "live", figures_live(figures));
}

PyObject *lfbpy_figures(const lfb_figures *figures)
{
  return figures->kind == LFB_KIND_GROWING  ? figures_growing(&figures->growing)
         : figures->kind == LFB_KIND_WINDOW ? figures_window(&figures->window)
                                            : figures_filter(&figures->all);
}

PyObject *lfbpy_figures_comparison(const lfb_comparison *comparison)
{
  const lfb_comparison *of = comparison;
  return Py_BuildValue("{s:(dd),s:(dd),s:(dd),s:(dd),s:(dd),s:(dd),s:(dd)}",
                       "a", of->a.value, of->a.error, "b", of->b.value, of->b.error,
                       "both", of->both.value, of->both.error,
                       "either", of->either.value, of->either.error,
                       "jaccard", of->jaccard.value, of->jaccard.error,
                       "a_in_b", of->a_in_b.value, of->a_in_b.error,
                       "b_in_a", of->b_in_a.value, of->b_in_a.error);
}
