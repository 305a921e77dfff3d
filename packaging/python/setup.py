"""Builds the module from the source tree: pip install packaging/python

Compiles the library's own sources, ../../atomic and ../../bloom, into the module.  It needs a C11
compiler, xxhash.h (Debian: libxxhash-dev) and ConcurrencyKit (libck-dev), which is linked from its
archive, libck.a, if the linker finds one that fits into a shared object: then the module does not
need libck.so.0.  One build serves Python 3.11 and later, except for a free-threaded Python, which has
no stable ABI.
"""

import os
import re
import subprocess
import sys
import sysconfig
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

try:
    from setuptools.command.bdist_wheel import bdist_wheel
except ImportError:
    from wheel.bdist_wheel import bdist_wheel

HERE = Path(__file__).resolve().parent
TREE = HERE.parent.parent
VERSION = re.search(r'^VERSION = "(.+)"', (TREE / "tools/version.bzl").read_text(), re.M).group(1)
STABLE = not sysconfig.get_config_var("Py_GIL_DISABLED")

FLAGS = ["-std=c11", "-O2", "-DNDEBUG", "-fvisibility=hidden", "-pthread"]
INCLUDES = [str(TREE), str(TREE / "include")]


def library_sources():
    """The library's sources, relative to the tree."""
    parts = (path for part in ("atomic", "bloom") for path in (TREE / part).rglob("*.c"))
    return [str(path.relative_to(TREE)) for path in parts]


class BuildWithLibrary(build_ext):
    """Compiles the library, too: as two files, the amalgamation."""

    def build_extension(self, ext):
        self.find_headers()
        made = os.path.abspath(self.build_temp)
        os.makedirs(made, exist_ok=True)
        command = ["bash", "tools/amalgamate.sh", made, *library_sources()]
        subprocess.run(command, cwd=TREE, check=True)
        ext.sources += [os.path.join(made, name) for name in ("lfbloom.c", "lfbloom_versions.c")]
        ext.extra_link_args = self.ck() + ext.extra_link_args
        super().build_extension(ext)

    def find_headers(self):
        for header, package in (("xxhash.h", "libxxhash-dev"), ("ck_epoch.h", "libck-dev")):
            command = [*self.compiler.compiler, "-fsyntax-only", "-x", "c", "-"]
            found = subprocess.run(command, input="#include <%s>\n" % header, text=True, stderr=subprocess.DEVNULL)
            if found.returncode != 0:
                sys.exit("lfbloom: %s is missing; on Debian and Ubuntu: apt-get install %s" % (header, package))

    def ck(self):
        """How the linker takes ConcurrencyKit: from an archive of position-independent code, or shared."""
        archive = ["-Wl,--whole-archive", "-l:libck.a", "-Wl,--no-whole-archive"]
        tried = os.path.join(os.path.abspath(self.build_temp), "libck_tried.so")
        command = [*self.compiler.linker_so, "-o", tried, *archive]
        found = subprocess.run(command, stderr=subprocess.DEVNULL)
        return ["-l:libck.a" if found.returncode == 0 else "-lck"]


class StableWheel(bdist_wheel):
    """Tags the wheel with the stable ABI."""

    def finalize_options(self):
        if STABLE:
            self.py_limited_api = "cp311"
        super().finalize_options()


setup(
    version=VERSION,
    ext_modules=[
        Extension(
            "lfbloom._lfbloom",
            sorted(str(path.relative_to(HERE)) for path in (HERE / "source").glob("*.c")),
            include_dirs=INCLUDES,
            define_macros=[("LFBPY_VERSION", '"%s"' % VERSION)] + [("LFBPY_STABLE", "1")] * STABLE,
            extra_compile_args=FLAGS,
            extra_link_args=["-pthread", "-lm", "-Wl,-z,nodelete", "-Wl,--version-script=" + str(HERE / "exports.lds")],
            py_limited_api=STABLE,
        )
    ],
    cmdclass={"build_ext": BuildWithLibrary, "bdist_wheel": StableWheel},
)
