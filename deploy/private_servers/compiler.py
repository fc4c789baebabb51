"""The compiler of C++ for the Luau of the SDK's tests. It is only installed; cargo starts it."""

import shutil


class Compiler:
    name = "compiler"
    package = "g++"

    @classmethod
    def program(cls):
        return shutil.which("c++")
