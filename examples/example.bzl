"""An example: a program that a user would start from, and the test that drives it."""

load("@rules_cc//cc:cc_binary.bzl", "cc_binary")
load("@rules_cc//cc:cc_test.bzl", "cc_test")
load("//tools:copts.bzl", "STRICT_C", "STRICT_CXX")

def example(name, srcs, deps):
    """A program, and all C of its folder as :sources, which the analysers read.

    Args:
      name: of the program, and of its folder.
      srcs: its sources.
      deps: of the library, and its own.
    """
    native.filegroup(
        name = "sources",
        srcs = native.glob([
            "*.c",
            "*.h",
        ]),
        visibility = ["//tests/static:__pkg__"],
    )
    cc_binary(
        name = name,
        srcs = srcs,
        copts = STRICT_C,
        linkopts = [
            "-pthread",
            "-lm",
        ],
        deps = deps,
    )

def example_test(name, data = [], deps = [], local_defines = [], **kwargs):
    """A GoogleTest of an example, which starts the program NAME_PROGRAM.

    Args:
      name: of the example; the test is NAME_test, its source NAME_test.cc.
      data: what it reads beside the program.
      deps: what it takes beside what all of them share.
      local_defines: beside the program's.
      **kwargs: for the test.
    """
    program = '%s_PROGRAM=\\"examples/%s/%s\\"' % (name.upper(), name, name)
    cc_test(
        name = name + "_test",
        srcs = [name + "_test.cc"],
        copts = STRICT_CXX,
        data = [":" + name] + data,
        local_defines = [program] + local_defines,
        deps = deps + [
            "//examples/testing",
            "@googletest//:gtest_main",
        ],
        **kwargs
    )
