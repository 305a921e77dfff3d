/* counting.c - the class Counting: lfbloom/counting.h. */
#include "packaging/python/source/classes.h"
#include "packaging/python/source/config.h"

lfbpy_class lfbpy_counting_class = {
    .name = "lfbloom.Counting",
    .doc =
        "Counting(" LFBPY_CONFIG_SIGNATURE ")\n--\n\n"
        "A filter from which keys can be removed.  copies: how often one key may be present.\n"
        "A strategy other than the default, 'tags', takes four times the memory of its Filter.\n\n"
        ">>> import lfbloom\n"
        ">>> open_files = lfbloom.Counting(1000, 0.001)\n"
        ">>> open_files.put('a.txt'), open_files.remove('a.txt'), 'a.txt' in open_files\n"
        "(True, True, False)\n",
    .size = sizeof(lfbpy_holder),
    .what = LFB_KIND_COUNTING,
    .methods = {
        LFBPY_FILES,
        {"put", lfbpy_put, METH_O,
         "put($self, key, /)\n--\n\n"
         "Puts a key once more.  Returns True.  FullError: it is not stored; do not remove it."},
        {"remove", lfbpy_remove, METH_O,
         "remove($self, key, /)\n--\n\n"
         "Takes back one put of a key.  Returns whether it did: False means that the key was "
         "absent.\n"
         "Remove a key at most as often as it was put, or other keys are lost."},
        LFBPY_MIGHT_CONTAIN,
        LFBPY_PUT_MANY(""),
        LFBPY_KEYWORDS("remove_many", lfbpy_remove_many,
                       "remove_many($self, keys, offsets=None, *, answers=True)\n--\n\n"
                       "Removes many keys, without the GIL.  Returns the answers of "
                       "remove().\n\n" LFBPY_MANY_DOC),
        LFBPY_QUERY_MANY(""),
        {"put_all", lfbpy_put_all, METH_O,
         "put_all($self, other, /)\n--\n\nAdds the counts of another Counting to this one."},
        LFBPY_COPY,
        {"to_filter", lfbpy_to_filter, METH_NOARGS,
         "to_filter($self)\n--\n\n"
         "Returns a plain Filter of the keys that are present.  None can be made of 'tags'."},
        {"stats", lfbpy_stats, METH_NOARGS,
         "stats($self)\n--\n\nReturns the figures, a dict: see lfb_stats in lfbloom/filter.h."},
        LFBPY_SIZEOF,
        LFBPY_REDUCE,
    },
};
