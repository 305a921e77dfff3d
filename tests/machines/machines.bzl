"""Tests on other machines: cross-compiled, and run by an emulator.

A cc_test of this tree is built again for the machine, by Debian's cross compiler
and without what the command line adds for a sanitizer, and run here.
"""

load("@bazel_tools//tools/build_defs/cc:action_names.bzl", "ACTION_NAMES")
load(
    "@bazel_tools//tools/cpp:cc_toolchain_config_lib.bzl",
    "feature",
    "flag_group",
    "flag_set",
    "tool_path",
)
load("@rules_cc//cc:defs.bzl", "cc_toolchain")

# The names of the machine for Bazel and Debian, and the program that runs its tests here. The
# first two run under qemu, which finds the libraries by -L. The third runs on an x86-64
# processor directly, because qemu 7.2 hangs with threads of that machine.
MACHINES = {
    "s390x": struct(cpu = "s390x", gnu = "s390x-linux-gnu", runner = "qemu-s390x -L /usr/s390x-linux-gnu"),
    "aarch64": struct(cpu = "aarch64", gnu = "aarch64-linux-gnu", runner = "qemu-aarch64 -L /usr/aarch64-linux-gnu"),
    "i686": struct(
        cpu = "x86_32",
        gnu = "i686-linux-gnu",
        runner = "/usr/i686-linux-gnu/lib/ld-linux.so.2 --library-path /usr/i686-linux-gnu/lib",
    ),
}

_COMPILE = [
    ACTION_NAMES.assemble,
    ACTION_NAMES.preprocess_assemble,
    ACTION_NAMES.c_compile,
    ACTION_NAMES.cpp_compile,
]

# -O1: qemu is slow enough. xxhash.h, one header for every machine, is only among this host's
# headers: they are searched last.
_COMPILE_FLAGS = ["-O1", "-idirafter", "/usr/include"]

_LINK_FLAGS = ["-lstdc++", "-lm"]

_TOOLS = ["ar", "cpp", "gcc", "gcov", "ld", "nm", "objdump", "strip"]

def _flags(name, actions, flags):
    return feature(
        name = name,
        enabled = True,
        flag_sets = [flag_set(actions = actions, flag_groups = [flag_group(flags = flags)])],
    )

def _toolchain_config_impl(ctx):
    gnu = ctx.attr.gnu
    return cc_common.create_cc_toolchain_config_info(
        ctx = ctx,
        toolchain_identifier = gnu,
        host_system_name = "local",
        target_system_name = gnu,
        target_cpu = ctx.attr.cpu,
        target_libc = "glibc",
        compiler = "gcc",
        abi_version = "unknown",
        abi_libc_version = "unknown",
        tool_paths = [tool_path(name = name, path = "/usr/bin/%s-%s" % (gnu, name)) for name in _TOOLS],
        cxx_builtin_include_directories = [
            "/usr/" + gnu + "/include",
            "/usr/lib/gcc-cross/" + gnu,
            "/usr/lib/gcc/" + gnu,
            "/usr/include",
        ],
        features = [
            _flags("machine_compile", _COMPILE, _COMPILE_FLAGS),
            _flags("machine_link", [ACTION_NAMES.cpp_link_executable], _LINK_FLAGS),
        ],
    )

_toolchain_config = rule(
    implementation = _toolchain_config_impl,
    attrs = {
        "cpu": attr.string(mandatory = True),
        "gnu": attr.string(mandatory = True),
    },
    provides = [CcToolchainConfigInfo],
)

def machine_toolchains():
    """The platforms, and the compilers for them."""
    native.filegroup(name = "nothing")
    for name, machine in MACHINES.items():
        native.platform(
            name = name + "_platform",
            constraint_values = ["@platforms//os:linux", "@platforms//cpu:" + machine.cpu],
        )
        _toolchain_config(
            name = name + "_config",
            cpu = machine.cpu,
            gnu = machine.gnu,
        )
        cc_toolchain(
            name = name + "_compiler",
            all_files = ":nothing",
            compiler_files = ":nothing",
            dwp_files = ":nothing",
            linker_files = ":nothing",
            objcopy_files = ":nothing",
            strip_files = ":nothing",
            toolchain_config = name + "_config",
        )
        native.toolchain(
            name = name + "_toolchain",
            target_compatible_with = ["@platforms//os:linux", "@platforms//cpu:" + machine.cpu],
            toolchain = name + "_compiler",
            toolchain_type = "@bazel_tools//tools/cpp:toolchain_type",
        )

def _for_machine_impl(_settings, attr):
    here = "//tests/machines:" + attr.machine
    return {
        "//command_line_option:copt": [],
        "//command_line_option:dynamic_mode": "off",
        "//command_line_option:extra_toolchains": [here + "_toolchain"],
        "//command_line_option:linkopt": [],
        "//command_line_option:platforms": [here + "_platform"],
    }

_for_machine = transition(
    implementation = _for_machine_impl,
    inputs = [],
    outputs = [
        "//command_line_option:copt",
        "//command_line_option:dynamic_mode",
        "//command_line_option:extra_toolchains",
        "//command_line_option:linkopt",
        "//command_line_option:platforms",
    ],
)

def _machine_test_impl(ctx):
    built = ctx.attr.test[0][DefaultInfo]
    run = ctx.actions.declare_file(ctx.label.name)
    ctx.actions.write(run, "#!/bin/sh\nexec %s ./%s \"$@\"\n" % (
        MACHINES[ctx.attr.machine].runner,
        built.files_to_run.executable.short_path,
    ), is_executable = True)
    runfiles = ctx.runfiles(files = [run]).merge(built.default_runfiles)
    return [DefaultInfo(executable = run, runfiles = runfiles)]

_machine_test = rule(
    implementation = _machine_test_impl,
    test = True,
    attrs = {
        "machine": attr.string(mandatory = True, values = MACHINES.keys()),
        "test": attr.label(mandatory = True, cfg = _for_machine),
        "_allowlist_function_transition": attr.label(
            default = "@bazel_tools//tools/allowlists/function_transition_allowlist",
        ),
    },
)

def machine_tests(name, machine, tests):
    """Tests on one machine, and a suite of them all; none of them is part of //...

    Args:
      name: of the suite; a test is <name>_<test>.
      machine: one of MACHINES.
      tests: cc_tests, "//package:name".
    """
    names = ["%s_%s" % (name, test.split(":")[1]) for test in tests]
    for test_name, test in zip(names, tests):
        _machine_test(name = test_name, machine = machine, tags = ["manual"], test = test)
    native.test_suite(name = name, tags = ["manual"], tests = names)
