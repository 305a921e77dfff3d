"""Builds lfbloom for Conan 2, from the tree that this file is in:

    conan create packaging/conan/concurrencykit
    conan create packaging/conan

The first is needed because ConanCenter has no recipe of ConcurrencyKit (looked up in August 2026).
"""

import os

from conan import ConanFile
from conan.tools.cmake import CMake, CMakeToolchain, cmake_layout
from conan.tools.files import copy

PARTS = [".bazelrc", "CMakeLists.txt", "LICENSE", "README.md", "include/*", "atomic/*", "bloom/*", "redis/*", "cli/*",
         "completion/*", "man/*", "packaging/*", "tools/*.bzl"]


class LfbloomConan(ConanFile):
    name = "lfbloom"
    version = "0.9.0"
    license = "Apache-2.0"
    description = "Lock-free concurrent Bloom filter"
    topics = ("bloom-filter", "lock-free", "guava", "parquet")
    settings = "os", "compiler", "build_type", "arch"
    options = {"shared": [True, False], "redis": [True, False]}
    default_options = {"shared": False, "redis": False}

    def export_sources(self):
        tree = os.path.join(self.recipe_folder, "..", "..")
        for part in PARTS:
            copy(self, part, src=tree, dst=self.export_sources_folder)

    def layout(self):
        cmake_layout(self)

    def requirements(self):
        self.requires("xxhash/[>=0.8.1 <1]")
        self.requires("concurrencykit/[>=0.7.1 <1]")
        if self.options.redis:
            self.requires("hiredis/[>=1.0 <2]")
            self.requires("openssl/[>=3 <4]")

    def generate(self):
        toolchain = CMakeToolchain(self)
        toolchain.variables["LFBLOOM_REDIS"] = bool(self.options.redis)
        toolchain.variables["LFBLOOM_TESTS"] = False
        toolchain.variables["LFBLOOM_INSTALL"] = True
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        CMake(self).install()
        copy(self, "LICENSE", src=self.source_folder,
             dst=os.path.join(self.package_folder, "licenses"))

    def package_info(self):
        """lfbloomConfig.cmake is in the package: Conan makes no other one."""
        self.cpp_info.set_property("cmake_find_mode", "none")
        self.cpp_info.builddirs = [os.path.join("lib", "cmake", "lfbloom")]
        self.cpp_info.libs = (["lfbloom_redis"] if self.options.redis else []) + ["lfbloom"]
        self.cpp_info.system_libs = ["m", "pthread"]
