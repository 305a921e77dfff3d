/* growing.c - the class Growing: lfbloom/growing.h and lfbloom/growing_mapped.h. */
#include "packaging/python/source/classes.h"
#include "packaging/python/source/config.h"

lfbpy_class lfbpy_growing_class = {
    .name = "lfbloom.Growing",
    .doc =
        "Growing(" LFBPY_CONFIG_GROWING_SIGNATURE ")\n--\n\n"
        "A Bloom filter that grows, for an unknown number of keys.\n\n"
        "fpp must be given.  expected_insertions is a first guess; 0: unknown, 64 KiB.\n\n"
        ">>> import lfbloom\n"
        ">>> seen = lfbloom.Growing(1000, 0.001)\n"
        ">>> _ = seen.put_many(range(100_000))\n"
        ">>> seen.stats()['layers'] > 1 and all(seen.might_contain_many(range(100_000)))\n"
        "True\n",
    .size = sizeof(lfbpy_holder),
    .what = LFB_KIND_GROWING,
    .getset = {LFBPY_READ_ONLY},
    .methods = {
        LFBPY_OF_CLASS("create", lfbpy_create,
                       "create($type, path, " LFBPY_CONFIG_GROWING_SIGNATURE ", file_mode=0)\n--\n"
                       "\n"
                       "Makes an empty filter in a new file, which any number of processes share.\n"
                       "Arguments: as Growing()."),
        LFBPY_OF_CLASS("open", lfbpy_open,
                       "open($type, path, *, read_only=False, max_bytes=0, key=None)\n--\n\n"
                       "Opens a file that create() made."),
        LFBPY_FILES,
        {"put", lfbpy_put, METH_O, "put($self, key, /)\n--\n\nPuts a key, as Filter.put()."},
        {"claim", lfbpy_claim, METH_O,
         "claim($self, key, /)\n--\n\nClaims a key, as Filter.claim()."},
        LFBPY_MIGHT_CONTAIN,
        LFBPY_PUT_MANY(""),
        LFBPY_CLAIM_MANY,
        LFBPY_QUERY_MANY(""),
        LFBPY_COPY,
        {"to_filter", lfbpy_to_filter, METH_NOARGS,
         "to_filter($self)\n--\n\n"
         "Returns a plain Filter of the size of the first layer, with all keys."},
        LFBPY_SYNC,
        {"stats", lfbpy_stats, METH_NOARGS,
         "stats($self)\n--\n\n"
         "Returns the figures, a dict: see lfb_growing_figures in lfbloom/growing.h."},
        LFBPY_SIZEOF,
        LFBPY_REDUCE,
    },
};
