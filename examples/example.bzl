"""Rules for an example, a program that a user could start from, and for its test."""

load("@rules_cc//cc:cc_binary.bzl", "cc_binary")
load("@rules_cc//cc:cc_test.bzl", "cc_test")
load("//tools:copts.bzl", "STRICT_C", "STRICT_CXX")

def example(name, srcs, deps):
    """A program, and :sources, all C files of its folder, for the static analysers.

    Args:
      name: of the program and of its folder.
      srcs: its sources.
      deps: its dependencies.
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
        visibility = ["//tests/docs:__pkg__"],
        deps = deps,
    )

def example_test(name, data = [], deps = [], local_defines = [], **kwargs):
    """A GoogleTest that starts an example's program, at the path NAME_PROGRAM.

    Args:
      name: of the example; the test is NAME_test, its source NAME_test.cc.
      data: files that it reads, in addition to the program.
      deps: in addition to those that all example tests share.
      local_defines: in addition to NAME_PROGRAM.
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
