"""What a generated program is compiled and linked with: the bundled simulator or the Poplar SDK.

Both are DaCe library environments with the same headers and state fields, because the generated text is the same for
both; they differ in where headers and libraries come from. A code generator activates one of them::

    compat.use_environment(dispatcher, environment.current().full_class_path())

and names it in the ``environments`` of its code objects. What needs the simulator's libraries is evaluated when DaCe
configures the build, so that generating code alone never builds the simulator.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, ClassVar

import dace.library

from dace_ipu import config

__all__ = [
    "IPUPoplarSDK",
    "IPUSimulator",
    "LIBRARIES",
    "RUNTIME_INCLUDE",
    "RUNTIME_SOURCES",
    "SIMULATOR_INCLUDE",
    "current",
]

_PACKAGE = Path(__file__).parent

#: Headers of this package on top of Poplar's public API, used in both modes.
RUNTIME_INCLUDE = _PACKAGE / "runtime" / "include"
#: The simulator's implementation of Poplar's headers.
SIMULATOR_INCLUDE = _PACKAGE / "simulator" / "include"

#: What generated programs call beside Poplar: a library of the simulator's build; compiled into each program with the
#: SDK.
RUNTIME_SOURCES = _PACKAGE / "runtime" / "src"
#: Poplar libraries that programs are linked with, by their names in the SDK.
LIBRARIES = ("poplar", "poputil", "popops", "poplin")

# The pointer has no initialiser: DaCe creates the struct with `new T()`, which zeroes it, and reads its leading
# pointers back from the source in CompiledSDFG.get_state_struct, which stops at anything but `type *name;`.
_STATE_FIELDS = ["dace_ipu::Programs *ipu_programs;"]
_HEADERS = {"frame": ["dace_ipu/forward.hpp"], "ipu": ["dace/dace.h", "dace_ipu/forward.hpp"]}


class _Common:
    """The fields that DaCe asks of every environment. A field may be a function that is called at build time."""

    cmake_minimum_version: ClassVar[str | None] = None
    cmake_packages: ClassVar[list[str]] = []
    cmake_variables: ClassVar[dict[str, str]] = {}
    cmake_compile_flags: ClassVar[list[str]] = []  # flags of our own would keep DaCe's precompiled header from fitting
    headers: ClassVar[dict[str, list[str]]] = _HEADERS
    state_fields: ClassVar[list[str]] = _STATE_FIELDS
    init_code: ClassVar[str] = ""
    finalize_code: ClassVar[str] = ""
    dependencies: ClassVar[list[type]] = []


@dace.library.environment
class IPUSimulator(_Common):
    """Programs that run on the bundled simulator, which is built on first use."""

    @staticmethod
    def cmake_includes() -> list[str]:
        """Return the include folders of this package and of the simulator."""
        return _cmake_list(RUNTIME_INCLUDE, SIMULATOR_INCLUDE)

    @staticmethod
    def cmake_libraries() -> list[str]:
        """Return the full paths of the simulator's libraries, building them if need be."""
        folder = _simulator_libraries()
        return _cmake_list(*(folder / f"lib{name}.so" for name in (*LIBRARIES, "dace_ipu")))

    @staticmethod
    def cmake_files() -> list[str]:
        """Return the CMake file by which host programs compile fast, if there is one for this compiler."""
        from dace_ipu.simulator import host_programs

        return _cmake_list(*host_programs.cmake_files())

    @staticmethod
    def cmake_link_flags() -> list[str]:
        """Return the flag that lets a program find the libraries when it is loaded."""
        return [f"-Wl,-rpath,{folder}" for folder in _cmake_list(_simulator_libraries())]


@dace.library.environment
class IPUPoplarSDK(_Common):
    """Programs that run on a real IPU, or on Graphcore's own model, through an enabled Poplar SDK."""

    cmake_link_flags: ClassVar[list[str]] = []
    cmake_files: ClassVar[list[str]] = [str(RUNTIME_SOURCES / "runtime.cmake")]

    @staticmethod
    def cmake_includes() -> list[str]:
        """Return this package's include folder; the SDK's enable script puts its own on the compiler's path."""
        return _cmake_list(RUNTIME_INCLUDE)

    @staticmethod
    def cmake_libraries() -> list[str]:
        """Return the names of the libraries. Raises :class:`ConfigError` if no SDK is enabled in this shell."""
        if "POPLAR_SDK_ENABLED" not in os.environ:
            raise config.ConfigError(
                "compiler.ipu.mode is 'sdk', but no Poplar SDK is enabled: source the SDK's enable script first"
            )
        return list(LIBRARIES)


def current() -> Any:
    """Return the environment class for the mode that is configured. Raises :class:`ConfigError`.

    The result has DaCe's ``full_class_path()`` beside the fields above, hence the missing type.
    """
    return IPUPoplarSDK if config.settings().mode == "sdk" else IPUSimulator


def _simulator_libraries() -> Path:
    # Imported when needed: building is the business of a compile, not of an import.
    from dace_ipu.simulator import build

    return build.ensure_built().lib_dir


def _cmake_list(*paths: Path) -> list[str]:
    """Return paths as text. Raises ``ValueError`` for one with a space, where DaCe's CMake files would split it."""
    for path in paths:
        if any(char in str(path) for char in " ;\"'$"):
            raise ValueError(
                f"DaCe's build cannot use the path {str(path)!r} because of a blank, quote, ';' or '$' in it. Move it "
                "(the package, or the cache folder that XDG_CACHE_HOME names)"
            )
    return [str(path) for path in paths]
