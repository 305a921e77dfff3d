"""The tests of a folder: one table, a row a test."""

load("@rules_cc//cc:cc_library.bzl", "cc_library")
load("@rules_cc//cc:cc_test.bzl", "cc_test")
load("//tools:copts.bzl", "STRICT_CXX")
load("//tools:library.bzl", "race_test")

def _runs(name, runs, srcs, deps):
    """Tests that are one program, started in several ways."""
    code = name + "_code"
    cc_library(
        name = code,
        testonly = True,
        srcs = srcs,
        copts = STRICT_CXX,
        linkstatic = True,
        tags = ["manual"],
        deps = deps + ["@googletest//:gtest_main"],
        alwayslink = True,
    )
    for run, differs in runs.items():
        cc_test(name = run, deps = [code], **differs)

def tests(table, library, deps = ["//tests/support"], apart = []):
    """The tests of a folder, and what other tests ask of each folder.

    Args:
      table: name of a test -> what is its own, for race_test().  Its source is NAME.cc, before which
        come the row's srcs; its library is the row's, or the folder's; its deps come before the folder's.
        `of`: tests that are linked into one, by the names of their sources, instead of NAME.cc.
        `runs`: further tests of the same program, name -> what is their own, for cc_test().
      library: what the folder's tests test, made by a macro of library.bzl.
      deps: what they all include besides.
      apart: tests that the BUILD file makes itself, by the names of their sources.
    """
    run = apart + [of for name, own in table.items() for of in own.get("of", [name])]
    for source in native.glob(["*_test.cc"]):
        if source[:-len(".cc")] not in run:
            fail("%s is in no row of the table, so that nobody runs it" % source)
    alone = []
    for name, own in table.items():
        row = dict(own)
        tested = row.pop("library", library)
        row["srcs"] = row.pop("srcs", []) + [of + ".cc" for of in row.pop("of", [name])]
        row["deps"] = row.pop("deps", []) + deps
        if "onethread" in row.get("tags", []):
            alone += [source for source in row["srcs"] if source.endswith(".cc")]
        runs = dict(row.pop("runs", {}))
        if runs and "catches" not in row:
            srcs, needs = row.pop("srcs"), row.pop("deps") + [tested]
            runs[name] = row
            _runs(name, runs, srcs, needs)
            continue
        if runs:
            _runs(name, runs, row["srcs"], row["deps"] + [tested])
        race_test(name = name, library = tested, **row)

    native.exports_files(["BUILD.bazel"])  # for //tests/plants:plants_test

    # For //tests/tools:one_thread_test.
    native.filegroup(name = "one_thread_sources", srcs = alone)

    # For //tests/docs:guarantees_test and //tests/tools:covers_test.
    native.filegroup(name = "test_sources", srcs = native.glob(["*.cc", "*_test.sh"]))
