"""Runs the methods of a conanfile.py as Conan 2 would: stand_in.py CONANFILE SOURCE PACKAGE"""

import importlib.util
import os
import pathlib
import shutil
import subprocess
import sys
import types

conanfile, source, package = sys.argv[1:]
build = package + ".build"


class ConanFile:
    source_folder, package_folder, recipe_folder = source, package, os.path.dirname(conanfile)
    export_sources_folder = package + ".exported"

    def __init__(self):
        self.required = []
        self.options = types.SimpleNamespace(**self.default_options)
        self.cpp_info = types.SimpleNamespace(set_property=lambda name, value: None)

    def requires(self, reference):
        self.required.append(reference)


class CMakeToolchain:
    made = {}

    def __init__(self, conan):
        self.variables = {}

    def generate(self):
        CMakeToolchain.made = self.variables


class CMake:
    def __init__(self, conan):
        self.source = conan.export_sources_folder

    def configure(self):
        flags = [f"-D{name}={'ON' if value else 'OFF'}" for name, value in CMakeToolchain.made.items()]
        subprocess.run(["cmake", "-S", self.source, "-B", build, "-DCMAKE_INSTALL_LIBDIR=lib",
                        "-DCMAKE_INSTALL_PREFIX=" + package, *flags], check=True)

    def build(self):
        subprocess.run(["cmake", "--build", build, "--parallel", "2"], check=True)

    def install(self):
        subprocess.run(["cmake", "--install", build], check=True)


def copy(conan, pattern, src, dst):
    """As Conan's: `*` stands for folders, too."""
    found = [file for file in pathlib.Path(src).glob(pattern.replace("/*", "/**/*")) if file.is_file()]
    assert found, f"{pattern} matches nothing in {src}"
    for file in found:
        target = pathlib.Path(dst) / file.relative_to(src)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(file, target)


for name, members in {"conan": {"ConanFile": ConanFile}, "conan.tools": {},
                      "conan.tools.cmake": {"CMake": CMake, "CMakeToolchain": CMakeToolchain,
                                            "cmake_layout": lambda conan: None},
                      "conan.tools.files": {"copy": copy}}.items():
    sys.modules[name] = types.ModuleType(name)
    vars(sys.modules[name]).update(members)

spec = importlib.util.spec_from_file_location("recipe", conanfile)
recipe = importlib.util.module_from_spec(spec)
spec.loader.exec_module(recipe)
conan = recipe.LfbloomConan()
for method in ("export_sources", "layout", "requirements", "generate", "build", "package", "package_info"):
    getattr(conan, method)()
assert conan.required, "no dependencies"
for library in conan.cpp_info.libs:
    assert os.path.exists(f"{package}/lib/lib{library}.a"), library
