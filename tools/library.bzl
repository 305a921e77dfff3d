"""The library's own targets: each built as it is, and once for each planted bug.

A race test that has never failed proves nothing.  Every race test is therefore
also linked with a library that holds the bug it looks for, and must fail there.
"""

load("@rules_cc//cc:cc_binary.bzl", "cc_binary")
load("@rules_cc//cc:cc_library.bzl", "cc_library")
load("@rules_cc//cc:cc_test.bzl", "cc_test")
load("@rules_shell//shell:sh_test.bzl", "sh_test")
load("//tools:copts.bzl", "STRICT_C", "STRICT_CXX")

# One row a bug: the macro LFB_PLANT_<NAME> puts it in.
PLANTS = [
    "torn_cas",  # compare-and-exchange as a load, a comparison and a store
    "torn_add",  # fetch-and-add as a load and a store
    "count_early",  # bits are counted before they are set
    "unsettled",  # a big batch does not ask whether it was alone
    "unlooked",  # a claim is won without a second look
    "undecided",  # a claim's bits are on before it is decided
    "untaken",  # a builder's thread writes to regions that others have
    "stored_layer",  # a growing filter's next layer is added by a store
    "early_layer",  # .. is seen before its older ones are behind it
    "unfollowed",  # .. is not looked for where another process has added it
    "unstuck",  # a counter that was full is lowered all the same
    "unrestored",  # a removal that is refused half-way leaves it at that
    "told_twice",  # a poll asks early whether a limit has been crossed before
    "maybe_first",  # answers are summed up before the false positives among them
    "live_checksum",  # a form's checksum is of the filter's words, not of those written
    "unbarred",  # an epoch is polled without the barrier that its readers leave to it
    "ungraced",  # what is retired is reclaimed at once, whoever has it
    "unwaited",  # a new version is handed to its loader before older puts have ended
    "undoubled",  # puts do not go to the version that is being built
    "announced_early",  # a version's number is on the Redis server before its parts
]

# The sources that a bug changes, all of those that see its macro: //tests/tools:plants_test.
# A bug that is not here may change any (it is in a header that most include), and has
# the whole library compiled again.
PLANTED_IN = {
    "announced_early": ["redis/source/publish.c"],
    "early_layer": ["bloom/kinds/layers.c"],
    "live_checksum": ["bloom/files/form_words.c"],
    "maybe_first": ["bloom/filter/watch.c"],
    "stored_layer": ["bloom/kinds/layers.c"],
    "told_twice": ["bloom/filter/watch.c"],
    "unbarred": ["atomic/threads/epoch_ck.c"],
    "undecided": ["bloom/filter/claims.c"],
    "undoubled": ["bloom/kinds/versions.c"],
    "unfollowed": [
        "bloom/kinds/form_growing.c",
        "bloom/kinds/growing.c",
        "bloom/kinds/growing_files.c",
        "bloom/kinds/growing_many.c",
        "bloom/kinds/growing_mapped.c",
        "bloom/kinds/layers.c",
    ],
    "ungraced": ["atomic/threads/epoch.c"],
    "unlooked": ["bloom/filter/claims.c"],
    "unrestored": [
        "bloom/kinds/counting_any.c",
        "bloom/kinds/counting_fast.c",
    ],
    "unsettled": ["bloom/filter/batch.c"],
    "unstuck": [
        "bloom/kinds/counting.c",
        "bloom/kinds/counting_any.c",
        "bloom/kinds/counting_fast.c",
        "bloom/kinds/counting_header.c",
        "bloom/kinds/form_counting.c",
    ],
    "untaken": ["bloom/filter/builder.c"],
    "unwaited": ["bloom/kinds/versions.c"],
}

def _planted(label, plant):
    return label + "_" + plant

def _changed(srcs, plant):
    """Those of the package's sources that the bug changes."""
    everywhere = plant not in PLANTED_IN
    return [src for src in srcs if everywhere or native.package_name() + "/" + src in PLANTED_IN[plant]]

def _strict():
    """What a newer compiler warns of is for this workspace to mend, not for one that uses it."""
    return STRICT_C if native.repository_name() == "@" else []

def _variants(name, own_deps, srcs, copts = [], hdrs = [], linkopts = []):
    """The ordinary library, and one for each planted bug: what it changes, before the ordinary one."""
    cc_library(
        name = name,
        srcs = srcs,
        hdrs = hdrs,
        copts = _strict() + copts + ["-fvisibility=hidden"],
        includes = ["include"],
        linkopts = linkopts,
        linkstatic = True,
        deps = own_deps,
    )
    for plant in PLANTS:
        cc_library(
            name = _planted(name, plant),
            testonly = True,
            srcs = _changed(srcs, plant),
            copts = _strict() + copts,
            defines = ["LFB_PLANT_" + plant.upper()],
            linkstatic = True,
            tags = ["manual"],
            deps = [name] + [_planted(dep, plant) for dep in own_deps],
            # Whole, so that of two objects with one name the changed one is linked.
            alwayslink = True,
        )

def lfb_library(name, own_deps = [], apart = [], **kwargs):
    """The library of a folder: all of its sources, those of its folders too, and its planted variants.

    Also names its public headers, include/lfbloom/*.h, all its headers, and all its
    sources, for installing.

    Args:
      name: of the ordinary library; a variant appends _<plant>.
      own_deps: libraries made by this file's macros.
      apart: sources that lfb_part() makes libraries of.
      **kwargs: copts and linkopts, for cc_library.
    """
    public = native.glob(["include/lfbloom/*.h"])
    hdrs = native.glob(["**/*.h"])
    native.filegroup(name = "public_headers", srcs = public)
    native.filegroup(name = "headers", srcs = hdrs)
    native.filegroup(name = "sources", srcs = native.glob(["**/*.c"], exclude = apart) + hdrs)
    native.filegroup(name = "sources_apart", srcs = apart)
    _variants(name, own_deps, srcs = native.glob(["**/*.c"], exclude = apart), hdrs = hdrs, **kwargs)

def lfb_part(name, srcs, own_deps, **kwargs):
    """A library of some sources of a folder: what takes more than the rest to be linked.

    Args:
      name: as of lfb_library().
      srcs: .c files, which lfb_library() names as being apart.
      own_deps: libraries made by this file's macros, the folder's own among them.
      **kwargs: copts and linkopts, for cc_library.
    """
    _variants(name, own_deps, srcs = srcs, **kwargs)

def race_test(name, srcs, library, catches = {}, deps = [], alone = True, **kwargs):
    """A race test, and one test per planted bug which says that it fails there.

    Args:
      name: of the test.
      srcs: C++ sources for GoogleTest.
      library: the lfb_library() under test, "//package:name".
      catches: planted bug -> the GoogleTest filter that must fail with it.
      deps: further libraries, free of planted bugs.
      alone: whether the bugs are caught only where nothing else takes the machine's processors.
      **kwargs: for the tests.
    """
    deps = deps + ["@googletest//:gtest_main"]

    # A bug that some sources of the library alone have leaves the test's objects as they are.
    shared = [plant for plant in catches if plant in PLANTED_IN]
    objects = [":" + name + "_objects"] if shared else []
    if shared:
        cc_library(
            name = name + "_objects",
            testonly = True,
            srcs = srcs,
            copts = STRICT_CXX,
            linkstatic = True,
            tags = kwargs.get("tags", []) + ["manual"],
            deps = deps + [library],
            alwayslink = True,
        )
    cc_test(name = name, srcs = [] if shared else srcs, copts = STRICT_CXX, deps = objects + deps + [library], **kwargs)
    for plant, tests in catches.items():
        binary = _planted(name, plant)
        cc_binary(
            name = binary,
            testonly = True,
            srcs = [] if plant in shared else srcs,
            copts = STRICT_CXX,
            tags = ["manual"],
            deps = (objects if plant in shared else []) + deps + [_planted(library, plant)],
        )

        # Not under a sanitizer: what counts is that the invariant itself fails.
        sh_test(
            name = binary + "_is_caught",
            size = "medium",
            srcs = ["//tests/support:must_fail.sh"],
            args = ["$(location %s)" % binary, "'%s'" % tests],
            data = [binary],
            tags = ["notsan"] + (["exclusive"] if alone else []),
        )
