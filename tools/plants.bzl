"""The planted bugs: the files that each patch changes, and the library that is built with it.

tests/plants/NAME.patch states the bug, the tests that catch it, and how often.
"""

load("@rules_cc//cc:cc_library.bzl", "cc_library")
load("//tools:copts.bzl", "STRICT_C")

def _row(files, library = "//bloom:bloom", again = [], first = None):
    """The files that a patch changes.

    Args:
      files: the sources or headers that the patch changes.
      library: the library of `files`, or a library that depends on it.
      again: for a header, the sources that are compiled again with it: those in which a test
        has to see the bug.
      first: a header that all sources include before anything else.
    """
    return struct(files = files, library = library, again = again, first = first)

def _window(file, again = []):
    """A bug of the window filter, with the hazards of //tests/kinds:window_race_test."""
    return _row(
        ["bloom/" + file],
        again = ["//bloom:window/" + source for source in again],
        first = "//tests/kinds:window_hazards.h",
    )

def _tags():
    """A bug of the operations on tags, with the pauses of //tests/history:history_tags_test."""
    return _row(
        ["bloom/counting/tags_key.h"],
        again = ["//bloom:counting/counting_tags.c"],
        first = "//tests/history:tags_pauses.h",
    )

# The sources in which the inline functions of bloom/window/window.h are compiled.
_WINDOW_SOURCES = ["window.c", "window_kernels.c"]

PLANTS = {
    "advanced_again": _window("window/window.c"),
    "announced_early": _row(["redis/source/publish.c"], library = "//redis:source"),
    "count_early": _row(["bloom/filter/filter.c"]),
    "counted_first": _row(["atomic/bit_array.c"], library = "//atomic:atomic"),
    "decided_early": _row(["cli/input/records.c"], library = "//cli:commands"),
    "early_layer": _row(["bloom/growing/layers.c"]),
    "emitted_early": _row(["cli/input/records.c"], library = "//cli:commands"),
    "independent_line": _tags(),
    "kept_moved": _tags(),
    "late_put": _window("window/window.h", again = _WINDOW_SOURCES),
    "live_checksum": _row(["bloom/files/form_words.c"]),
    "looked_newest": _window("window/window.c"),
    "marked_early": _row(["cli/exact/reads.c"], library = "//cli:commands"),
    "misparted": _row(["cli/exact/spill.c"], library = "//cli:commands"),
    "moved_backward": _tags(),
    "moved_taking_first": _tags(),
    "newest_first": _window("window/window.c"),
    "overlapped": _row(
        [
            "bloom/strategies/fast/fast.c",
            "bloom/strategies/fast/fast_key.h",
        ],
        again = ["//bloom:strategies/fast/fast_size.c"],
    ),
    "queried_backward": _tags(),
    "seen_overwritten": _row(["cli/exact/seen_commit.c"], library = "//cli:commands"),
    "seen_unlocked": _row(["cli/exact/seen.c"], library = "//cli:commands"),
    "skipped_found": _row(["bloom/filter/claims.c"]),
    "snapped_backward": _row(["atomic/bit_array.c"], library = "//atomic:atomic"),
    "stored_layer": _row(["bloom/growing/layers.c"]),
    "stored_all": _row(["atomic/bit_array.c"], library = "//atomic:atomic"),
    "took_last": _tags(),
    "two_advances": _window("window/window.c"),
    "torn_add": _row(
        ["include/lfbloom/c11.h"],
        again = ["//atomic:threads/stripes.c"],
        library = "//atomic:atomic",
    ),
    "torn_cas": _row(
        [
            "include/lfbloom/c11.h",
            "atomic/words/pair.h",
        ],
        again = [
            "//atomic:threads/slots.c",
            "//atomic:bit_array.c",
            "//bloom:files/delta.c",
            "//bloom:filter/claims.c",
            "//bloom:counting/counting.c",
            "//bloom:counting/counting_any.c",
            "//bloom:counting/counting_tags.c",
            "//bloom:strategies",
        ],
    ),
    "torn_snapshot": _row(["atomic/bit_array.c"], library = "//atomic:atomic"),
    "unannounced": _window("window/window.c"),
    "undecided": _row(["bloom/filter/claims.c"]),
    "undoubled": _row(["bloom/versions/versions.c"], library = "//bloom:versions"),
    "undoubted": _row(["cli/exact/reads.c"], library = "//cli:commands"),
    "unfollowed": _row(["bloom/growing/layers.c"]),
    "ungraced": _row(["atomic/threads/sections.c"], library = "//atomic:atomic"),
    "unlooked": _row(["bloom/filter/claims.c"]),
    "unstamped": _window("filter/claims.c"),
    "unrestored": _row(["bloom/counting/counting_any.c"]),
    "unread": _row(
        ["include/lfbloom/word.h"],
        again = ["//atomic:bit_array.c"],
        library = "//atomic:atomic",
    ),
    "unstuck": _row(
        ["atomic/threads/counters.h"],
        again = ["//bloom:counting/counting_any.c"],
    ),
    "unwaited": _row(["bloom/versions/versions.c"], library = "//bloom:versions"),
    "went_on": _tags(),
}

def planted_headers(plant):
    """Compiler options that include the headers with the bug before the ordinary ones."""
    options = []
    for file in PLANTS[plant].files:
        if file.endswith(".h"):
            options += ["-include", "tests/plants/%s/%s" % (plant, file)]
    return options

def plant_library(plant):
    """The objects with a planted bug, which are linked before those of the ordinary library.

    Also makes <plant>_sources, the sources with the bug, which a model includes.

    Args:
      plant: the name of a row of PLANTS, and of a patch of the package.
    """
    row = PLANTS[plant]
    patched = ["%s/%s" % (plant, file) for file in row.files]
    labels = ["//%s:%s" % tuple(file.split("/", 1)) for file in row.files]
    native.genrule(
        name = plant + "_patched",
        testonly = True,
        srcs = [plant + ".patch"] + labels,
        outs = patched,
        cmd = "$(location //tools:plant.sh) $(location %s.patch) $(RULEDIR)/%s %s" %
              (plant, plant, " ".join(["$(location %s)" % label for label in labels])),
        tools = ["//tools:plant.sh"],
    )
    cc_library(
        name = plant + "_sources",
        testonly = True,
        textual_hdrs = patched,
    )
    headers = planted_headers(plant)
    if row.first:
        headers = ["-include", row.first[len("//"):].replace(":", "/")] + headers
    cc_library(
        name = plant,
        testonly = True,
        srcs = [file for file in patched if file.endswith(".c")] + row.again,
        hdrs = [file for file in patched if file.endswith(".h")] + ([row.first] if row.first else []),
        # -include comes before the feature test macros of the source, so they are given here.
        copts = headers + ["-D_GNU_SOURCE", "-w"] if headers else STRICT_C,
        linkstatic = True,
        tags = ["manual"],
        # The ordinary objects come after these: of two with the same name the first is linked.
        deps = [row.library],
        alwayslink = True,
    )
