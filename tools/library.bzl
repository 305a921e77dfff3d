"""The library's own targets, and the race tests.

A race test that has never failed proves nothing.  So every race test is also linked with a
library that has a planted bug (tests/plants), and must fail there.
"""

load("@rules_cc//cc:cc_binary.bzl", "cc_binary")
load("@rules_cc//cc:cc_library.bzl", "cc_library")
load("@rules_cc//cc:cc_test.bzl", "cc_test")
load("@rules_shell//shell:sh_test.bzl", "sh_test")
load("//tools:copts.bzl", "STRICT_C", "STRICT_CXX")
load("//tools:plants.bzl", "planted_headers")

def _strict():
    """Strict options in this workspace only: a newer compiler's warnings must not break users."""
    return STRICT_C if native.repository_name() == "@" else []

def _library(name, own_deps, srcs, copts = [], hdrs = [], linkopts = []):
    native.exports_files(srcs + hdrs)  # tests/model, tests/plants
    cc_library(
        name = name,
        srcs = srcs,
        hdrs = hdrs,
        copts = _strict() + copts + ["-fvisibility=hidden"],
        linkopts = linkopts,
        linkstatic = True,
        deps = own_deps,
    )

def lfb_library(name, own_deps = [], apart = [], public = None, **kwargs):
    """The library of a folder: all of its sources, with those of its subfolders.

    Also makes filegroups: all headers, and all sources, both with the public headers.

    Args:
      name: of the library.
      own_deps: libraries made by this file's macros.
      apart: sources that lfb_part() makes libraries of.
      public: the filegroup of //include with its public headers, unless a library of own_deps has it.
      **kwargs: copts and linkopts, for cc_library.
    """
    hdrs = native.glob(["**/*.h"])
    srcs = native.glob(["**/*.c"], exclude = apart)
    given = ["//include:" + public] if public else []
    native.filegroup(name = "headers", srcs = hdrs + given)
    native.filegroup(name = "sources", srcs = srcs + hdrs + given)
    native.filegroup(name = "sources_apart", srcs = apart)
    _library(name, own_deps + [given + "_headers" for given in given], srcs = srcs, hdrs = hdrs, **kwargs)

def lfb_part(name, srcs, own_deps, **kwargs):
    """A library of some sources of a folder, which need more libraries than the rest.

    Args:
      name: as for lfb_library().
      srcs: .c files, which lfb_library() has in `apart`.
      own_deps: libraries made by this file's macros, including that of the folder.
      **kwargs: copts and linkopts, for cc_library.
    """
    _library(name, own_deps, srcs = srcs, **kwargs)

def race_test(name, srcs, library, catches = {}, deps = [], alone = True, copts = [], tags = [], **kwargs):
    """A race test, and for each planted bug a test that the race test fails with the bug.

    A race test that catches a bug is tagged race.

    Args:
      name: of the test.
      srcs: C++ sources for GoogleTest.
      library: the lfb_library() under test, "//package:name".
      catches: planted bug -> the GoogleTest filter that must fail with it, as often as the
        bug's patch states.
      deps: further libraries, without planted bugs.
      alone: whether the bugs are caught only if no other test uses the processors.
      copts: further options of the compiler for the sources.
      tags: of the test.
      **kwargs: for the tests.
    """
    deps = deps + ["@googletest//:gtest_main", library]

    # A test of //atomic calls inline functions, so it is compiled with a header that has the bug.
    # For any other test the objects are the same with every bug.
    inline = {plant: planted_headers(plant) for plant in catches if library.startswith("//atomic:")}
    objects = []
    if [plant for plant in catches if not inline.get(plant)]:
        objects = [":" + name + "_objects"]
        cc_library(
            name = name + "_objects",
            testonly = True,
            srcs = srcs,
            copts = STRICT_CXX + copts,
            linkstatic = True,
            tags = tags + ["manual"],
            deps = deps,
            alwayslink = True,
        )
    cc_test(
        name = name,
        srcs = [] if objects else srcs,
        copts = STRICT_CXX + copts,
        tags = tags + (["race"] if catches else []),
        deps = objects + deps,
        **kwargs
    )
    for plant, tests in catches.items():
        binary = name + "_" + plant
        patch = "//tests/plants:%s.patch" % plant
        own = inline.get(plant)
        cc_binary(
            name = binary,
            testonly = True,
            srcs = srcs if own else [],
            copts = STRICT_CXX + copts + (own or []),
            tags = ["manual"],
            deps = ["//tests/plants:" + plant] + ([] if own else objects) + deps,
        )

        # Not under a sanitizer: the invariant itself must fail.
        sh_test(
            name = binary + "_is_caught",
            size = "medium",
            srcs = ["//tests/support:must_fail.sh"],
            args = ["$(location %s)" % binary, "'%s'" % tests, "$(location %s)" % patch, name],
            data = [binary, patch],
            tags = ["notsan", "proof"] + (["exclusive"] if alone else []),
        )
