"""The tests of a folder, as a table with one row per test.

Tags of tests, which say where a test runs (.bazelrc, bazelw, .ci):

  slow       Not in the fast lane, which is `./bazelw test //...` and .ci/run: tests of packages,
             installations, benchmarks and clusters, that play attackers or kill processes for
             minutes, or ask other implementations. Their subjects change rarely. .ci/all runs them.
             A test that is tagged so must find something that no other one finds.
  proof      That a race test finds a planted bug, or a model. .ci/run runs those alone that changed
             since .ci/all last ran them (.ci/proofs.py).
  race       Catches a planted bug. Also runs under clang's ThreadSanitizer.
  notsan     Not under sanitizers.
  onethread  Not under ThreadSanitizer: it starts no thread.

To name a test, or its folder, runs it whatever its tags are.
"""

load("@rules_cc//cc:cc_library.bzl", "cc_library")
load("@rules_cc//cc:cc_test.bzl", "cc_test")
load("@rules_shell//shell:sh_test.bzl", "sh_test")
load("//tools:copts.bzl", "STRICT_CXX")
load("//tools:library.bzl", "race_test")

def _runs(name, runs, srcs, deps):
    """Tests that run the same program in several ways."""
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
    """The tests of a folder, and the filegroups that other tests need of each folder.

    Args:
      table: name of a test -> its own arguments for race_test().  Its sources are the row's srcs,
        then NAME.cc.  Its library is the row's, or else `library`.  Its deps are the row's, then
        `deps`.  Further keys of a row:
        `of`: the names of several sources that are linked into one test, instead of NAME.cc.
        `runs`: further tests of the same program, name -> arguments for cc_test().
      library: the library under test, made by a macro of library.bzl.
      deps: further dependencies of all tests.
      apart: the names of the sources of tests that the BUILD file defines itself.
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

    # For //tests:test_sources.
    native.filegroup(name = "test_sources", srcs = native.glob(["*.c", "*.cc", "*_test.sh"]))

def script_test(name, given = [], data = [], srcs = None, **kwargs):
    """A test that is a script, with the scripts of tests/support that such tests source.

    Args:
      name: of the test.
      given: the script's arguments.  A label, //PACKAGE:NAME or :NAME, stands for the paths of its
        files, which the script then has.
      data: further files that the script has.
      srcs: the script, if it is not NAME.sh.
      **kwargs: for sh_test().
    """
    labels = [word for word in given if word.startswith("//") or word.startswith(":")]
    sh_test(
        name = name,
        srcs = srcs or [name + ".sh"],
        args = ["$(locations %s)" % word if word in labels else word for word in given],
        data = depset(labels + data + ["//tests/support:scripts"]).to_list(),
        **kwargs
    )
