"""Puts libmtf.so into the package: $MTF_LIBRARY, or the one of build/, or one that is built here with CMake. With
MTF_LIBRARY=system the package has none, and takes the system's (the Debian package libmtf0)."""

import os
import pathlib
import shutil
import subprocess

from setuptools import setup
from setuptools.command.build_py import build_py

try:
    from wheel.bdist_wheel import bdist_wheel
except ImportError:
    bdist_wheel = None

HERE = pathlib.Path(__file__).resolve().parent
GIVEN = os.environ.get("MTF_LIBRARY", "")


def library(folder):
    top = HERE.parent.parent
    for path in (GIVEN, top / "build" / "libmtf.so"):
        if path and pathlib.Path(path).exists():
            return pathlib.Path(path)
    subprocess.check_call(["cmake", "-S", top, "-B", folder, "-DCMAKE_BUILD_TYPE=Release", "-DMTF_TESTS=OFF", "-DMTF_LEVELS=all"])
    subprocess.check_call(["cmake", "--build", folder, "--target", "libmtf_shared", "--parallel"])
    return folder / "libmtf.so"


class BuildWithLibrary(build_py):
    def run(self):
        super().run()
        if GIVEN != "system":
            built = library(pathlib.Path(self.get_finalized_command("build").build_temp).resolve() / "libmtf")
            shutil.copyfile(built, pathlib.Path(self.build_lib) / "mtf" / "libmtf.so.0")


commands = {"build_py": BuildWithLibrary}
if bdist_wheel is not None:

    class ForEveryPython(bdist_wheel):
        """The library depends on the machine, and on no version of Python."""

        def finalize_options(self):
            super().finalize_options()
            self.root_is_pure = GIVEN == "system"

        def get_tag(self):
            return "py3", "none", super().get_tag()[2]

    commands["bdist_wheel"] = ForEveryPython

setup(cmdclass=commands)
