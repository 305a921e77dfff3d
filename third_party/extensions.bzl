"""Repositories for Bazel 7 and later, which reads MODULE.bazel.  Bazel 4 does not load this file."""

load(":repositories.bzl", "system_python")

def _system_impl(_ctx):
    system_python(name = "system_python")

system = module_extension(implementation = _system_impl)
