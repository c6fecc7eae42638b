"""A folder laid out like an installed Poplar SDK, for build systems that look into one.

    <build of the libraries>/sdk/<digest>/bin/popc
                                          include -> the headers
                                          lib/libpoplar.so ... -> the libraries
                                          lib/cmake/<package>/<package>-config.cmake

CMake finds the packages ``poplar``, ``poplibs`` and ``gcl`` there. They define the SDK's targets, one for
each library, and ``popc_bin``.
"""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

from dace_ipu.simulator.build import BuildError, Libraries
from dace_ipu.simulator.popc.identity import POPLAR_VERSION
from dace_ipu.simulator.popc.store import digest

__all__ = ["sdk_folder"]

_PACKAGES = ("poplar", "poplibs", "gcl")
#: Libraries of the SDK that another stands in for: an older name, one that is headers only here, and some that programs
#: link without using them.
_ALIASES = {"gcl_ct": "gcl", "pvti": "poplar", "popsolver": "poplar", "popsys": "poplar"}
#: What a program that links a library may use without naming it, beside libpoplar.
_USES = {
    "popops": "poputil",
    "poprand": "popops",
    "poplin": "popops",
    "popnn": "poplin",
    "popsparse": "poplin",
    "popfloat": "popops",
    "gcl": "popops",
    "gcl_ct": "popops",
}

_CONFIG = """\
# The dace_ipu simulator as a CMake package. Targets: a library each, and popc_bin.
get_filename_component(_dace_ipu_sdk "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
@uses@
foreach(_dace_ipu_name IN ITEMS @names@)
  if(NOT TARGET ${_dace_ipu_name})
    add_library(${_dace_ipu_name} SHARED IMPORTED)
    set_target_properties(${_dace_ipu_name} PROPERTIES
      IMPORTED_LOCATION "${_dace_ipu_sdk}/lib/lib${_dace_ipu_name}.so"
      INTERFACE_INCLUDE_DIRECTORIES "${_dace_ipu_sdk}/include")
    if(NOT _dace_ipu_name STREQUAL "poplar")
      set_target_properties(${_dace_ipu_name} PROPERTIES
        INTERFACE_LINK_LIBRARIES "${_dace_ipu_${_dace_ipu_name}_uses};poplar")
    endif()
  endif()
endforeach()
if(NOT TARGET popc_bin)
  add_executable(popc_bin IMPORTED)
  set_target_properties(popc_bin PROPERTIES IMPORTED_LOCATION "${_dace_ipu_sdk}/bin/popc")
endif()
unset(_dace_ipu_name)
unset(_dace_ipu_sdk)
"""

_VERSION = f"""\
set(PACKAGE_VERSION {POPLAR_VERSION})
if(NOT PACKAGE_FIND_VERSION VERSION_GREATER PACKAGE_VERSION)
  set(PACKAGE_VERSION_COMPATIBLE TRUE)
endif()
if(PACKAGE_FIND_VERSION VERSION_EQUAL PACKAGE_VERSION)
  set(PACKAGE_VERSION_EXACT TRUE)
endif()
"""


def sdk_folder(libraries: Libraries, popc: Path) -> Path:
    """Return the folder for these libraries and this command ``popc``, made now if it is not there.

    Raises :class:`~dace_ipu.simulator.objects.BuildError` if it cannot be written.
    """
    paths = (str(libraries.include_dir), str(libraries.lib_dir), str(popc))
    folder = (
        libraries.lib_dir.parent
        / "sdk"
        / digest(*paths, _CONFIG, _VERSION, repr(_ALIASES), repr(_USES), *libraries.names)
    )
    try:
        if not folder.is_dir():
            _make(folder, libraries, popc)
    except OSError as error:
        raise BuildError(f"cannot write the folder '{folder}': {error.strerror or error}") from error
    return folder


def _make(folder: Path, libraries: Libraries, popc: Path) -> None:
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".", dir=folder.parent) as work:
        new = Path(work) / "sdk"
        _fill(new, libraries, popc)
        with contextlib.suppress(OSError):  # another process was faster
            new.rename(folder)


def _fill(folder: Path, libraries: Libraries, popc: Path) -> None:
    for path, target in _links(libraries, popc):
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        os.symlink(target, folder / path)
    uses = "\n".join(f"set(_dace_ipu_{name}_uses {used})" for name, used in _USES.items())
    config = _CONFIG.replace("@names@", " ".join((*libraries.names, *_ALIASES))).replace("@uses@", uses)
    for package in _PACKAGES:
        home = folder / "lib" / "cmake" / package
        home.mkdir(parents=True)
        (home / f"{package}-config.cmake").write_text(config, encoding="utf-8")
        (home / f"{package}-config-version.cmake").write_text(_VERSION, encoding="utf-8")


def _links(libraries: Libraries, popc: Path) -> Iterator[tuple[str, Path]]:
    yield "bin/popc", popc
    yield "include", libraries.include_dir
    yield "lib/codelets", libraries.lib_dir / "codelets"
    for name in (*libraries.names, *_ALIASES):
        yield f"lib/lib{name}.so", libraries.lib_dir / f"lib{_ALIASES.get(name, name)}.so"
