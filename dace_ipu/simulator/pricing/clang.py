"""The clang that prices codelets: the one in the package ``ziglang``, or one that the user names.

Prices must not depend on the machine: the target is fixed, and ``ziglang`` brings its own C and C++ headers. The
options imitate the device's compiler, which has no use for unrolling (facts: graphcore/llvm-project-fork,
ColossusTargetTransformInfo: interleave factor 1).
"""

from __future__ import annotations

import importlib.util
import os
import platform
import shlex
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

__all__ = ["Clang", "ClangError", "find_clang"]

#: The environment variable that names another clang++, or "none" for no pricing.
VARIABLE = "DACE_IPU_PRICING_CLANG"

_TARGET = "x86_64-linux-gnu"
_HOSTS = {"x86_64": "x86_64-linux-gnu", "aarch64": "aarch64-linux-gnu"}

_IMITATION = (
    *("-O3", "-funroll-loops", "-fno-vectorize", "-fno-slp-vectorize", "-g0", "-w"),
    *("-fno-math-errno", "-ffp-contract=off", "-fno-exceptions", "-fvisibility=hidden", "-fPIC"),
    *("-mllvm", "-unroll-runtime=false", "-mllvm", "-unroll-allow-partial=false"),
    *("-fno-builtin-strlen", "-fno-builtin-wcslen"),  # loops that look like these are loops on the device
    *("-Xclang", "-fno-access-control", "-Xclang", "-ffloat16-excess-precision=none"),
)

# What `zig c++` defines for its copy of libc++; popc calls the compiler in it directly, which is ten times as fast.
_LIBCXX = (
    *("_LIBCPP_ABI_VERSION=1", "_LIBCPP_ABI_NAMESPACE=__1", "_LIBCPP_HAS_MUSL_LIBC=0"),
    *("_LIBCPP_HARDENING_MODE_DEFAULT=2", "_LIBCPP_HARDENING_MODE=_LIBCPP_HARDENING_MODE_NONE"),
    *("_LIBCPP_ASSERTION_SEMANTIC_DEFAULT=_LIBCPP_ASSERTION_SEMANTIC_IGNORE", "_LIBCPP_HAS_THREADS=1"),
    *("_LIBCPP_HAS_MONOTONIC_CLOCK=1", "_LIBCPP_HAS_LOCALIZATION=1", "_LIBCPP_HAS_WIDE_CHARACTERS=1"),
    *("_LIBCPP_HAS_UNICODE=1", "_LIBCPP_HAS_FILESYSTEM=1", "_LIBCPP_HAS_RANDOM_DEVICE=1", "_LIBCPP_HAS_TERMINAL=1"),
    *("_LIBCPP_HAS_TIME_ZONE_DATABASE=1", "_LIBCPP_HAS_VENDOR_AVAILABILITY_ANNOTATIONS=0"),
    *("_LIBCPP_HAS_THREAD_API_PTHREAD=1", "_LIBCPP_PSTL_BACKEND_SERIAL", "__GLIBC_MINOR__=31"),
    *("_LIBCPP_DISABLE_VISIBILITY_ANNOTATIONS", "_LIBCPP_DISABLE_EXTERN_TEMPLATE"),
)
_INCLUDE = (
    *("libcxx/include", "libcxxabi/include", "include", "libc/include/x86-linux-gnu", "libc/include/generic-glibc"),
    *("libc/include/x86-linux-any", "libc/include/any-linux-any"),
)


class ClangError(Exception):
    """The codelets could not be compiled for pricing. The text holds the compiler's output."""


@dataclass(frozen=True)
class Clang:
    """A clang. ``command`` starts it, ``headers`` are the options by which it finds the standard library."""

    command: tuple[str, ...]
    headers: tuple[str, ...]

    @property
    def identity(self) -> str:
        """Changes when another clang takes its place."""
        status = os.stat(self.command[0]) if os.path.isfile(self.command[0]) else None
        stamp = (status.st_size, status.st_mtime_ns) if status else ()
        return repr((self.command, self.headers, stamp))

    def to_ir(self, text: str, options: tuple[str, ...]) -> str:
        """Return the optimised IR of a C++ text for the fixed target. Raises :class:`ClangError`."""
        words = [*self.command, "-target", _TARGET, "-x", "c++", *_IMITATION, *options, *self.headers]
        return self._run([*words, "-S", "-emit-llvm", "-o", "-", "-"], text)

    def to_object(self, ir: str, output: Path) -> None:
        """Compile IR for the fixed target to an object for this machine. Raises :class:`ClangError`."""
        target = _HOSTS.get(platform.machine())
        if target is None:
            raise ClangError(f"pricing does not know the processor {platform.machine()}")
        words = [*self.command, "-target", target, "-x", "ir", "-w", "-O1", "-fPIC", "-c"]
        self._run([*words, "-o", str(output), "-"], ir)

    @staticmethod
    def _run(words: list[str], text: str) -> str:
        try:
            result = subprocess.run(words, input=text, capture_output=True, text=True)
        except OSError as error:
            raise ClangError(str(error)) from error
        if result.returncode != 0:
            raise ClangError(result.stderr.rstrip())
        return result.stdout


def find_clang() -> Clang | None:
    """Return the clang of the environment variable ``DACE_IPU_PRICING_CLANG``, else ziglang's, else ``clang++``."""
    given = shlex.split(os.environ.get(VARIABLE, ""))
    if given:
        return None if given == ["none"] else Clang(tuple(given), ())
    spec = importlib.util.find_spec("ziglang")
    if spec is not None and spec.origin is not None:
        return _zig(Path(spec.origin).parent)
    path = shutil.which("clang++")
    return Clang((path,), ()) if path else None


def _zig(folder: Path) -> Clang:
    include = (word for name in _INCLUDE for word in ("-isystem", str(folder / "lib" / name)))
    headers = ("-nostdinc", "-nostdinc++", *(f"-D{name}" for name in _LIBCXX), *include)
    return Clang((str(folder / "zig"), "clang"), headers)
