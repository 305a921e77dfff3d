"""Builds ConcurrencyKit for Conan 2, for lfbloom: conan create packaging/conan/concurrencykit"""

import os

from conan import ConanFile
from conan.tools.files import copy, rmdir
from conan.tools.scm import Git

COMMIT = "351415ccaa78798332e556f661fc7e832447f3da"  # tag 0.7.1


class ConcurrencykitConan(ConanFile):
    name = "concurrencykit"
    version = "0.7.1"
    license = "BSD-2-Clause AND Apache-2.0"
    homepage = "https://github.com/concurrencykit/ck"
    description = "Primitives and data structures for concurrent programs"
    settings = "os", "compiler", "build_type", "arch"
    options = {"shared": [True, False]}
    default_options = {"shared": False}

    def source(self):
        git = Git(self)
        git.clone(self.homepage, target=".")
        git.checkout(COMMIT)

    def build(self):
        """Its configure is none of autoconf's, and it builds in the folder of its sources."""
        copy(self, "*", src=self.source_folder, dst=self.build_folder)
        self.run("./configure --prefix=%s" % self.package_folder)
        self.run("make -C src")

    def package(self):
        self.run("make install")
        drop = ".a" if self.options.shared else ".so"
        for file in os.listdir(os.path.join(self.package_folder, "lib")):
            if file.startswith("libck" + drop):
                os.remove(os.path.join(self.package_folder, "lib", file))
        rmdir(self, os.path.join(self.package_folder, "share"))
        copy(self, "LICENSE", src=self.source_folder,
             dst=os.path.join(self.package_folder, "licenses"))

    def package_info(self):
        self.cpp_info.libs = ["ck"]
        self.cpp_info.system_libs = ["pthread"]
