"""The host compiler's commands: what codelets are compiled with."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from dace_ipu.simulator.popc.options import Options
from dace_ipu.simulator.toolchain import Compiler

__all__ = ["INCLUDE", "compiler_command", "linker_command", "preprocessor_command", "pricing_options"]

#: The headers that a codelet is compiled with.
INCLUDE = Path(__file__).parents[1] / "include"

# __IPU__ stays undefined: sources then take the branch they have for the IPU Model and the CPU.
_MACROS = ("-D__POPC__=1", "-D__IPU_ARCH_VERSION__=2", "-U_FORTIFY_SOURCE")

# Results must not depend on what the compiler fuses, and functions such as sqrt need not set errno.
_SEMANTICS = ("-ffp-contract=off", "-fno-math-errno")

# Attributes and pragmas of the device mean nothing to the host's compiler; the rest it is stricter about than clang.
_LANGUAGE = ("-Wno-attributes", "-Wno-unknown-pragmas", "-Wno-narrowing", "-Wno-invalid-offsetof")

# Options of a user that programs may rely on: the code that counts cycles computes results too.
_MEANING = ("-fwrapv", "-fno-strict-overflow", "-fno-strict-aliasing")

_OBJECT = ("-fPIC", "-fvisibility=hidden", "-fno-builtin-printf")
_LIBRARY = ("-shared", "-Wl,-z,defs", *(f"-Wl,--wrap={name}" for name in ("printf", "puts", "putchar", "putc")))


def preprocessor_command(options: Options, compiler: Compiler, device_types: bool) -> list[str]:
    """Return the command that preprocesses; the input's name is to follow.

    Without ``device_types`` poplar/Vertex.hpp leaves the global names of the device's vector types alone.
    """
    names = () if device_types else ("-DDACE_IPU_NO_DEVICE_TYPES",)
    return [
        *(*compiler.command, "-x", "c++", "-E", *_common(options, compiler)),
        *(*_MACROS, *names, *options.preprocessor, "-iquote", ".", "-isystem", str(INCLUDE)),
    ]


def compiler_command(options: Options, compiler: Compiler, output: Path) -> list[str]:
    """Return the command that turns preprocessed text on its standard input into the object ``output``."""
    return [
        *(*compiler.command, "-x", _preprocessed(compiler), *_common(options, compiler)),
        *(*_SEMANTICS, *_access_control(compiler), *_language(compiler), *options.compiler),
        *(*_OBJECT, "-c", "-o", str(output), "-"),
    ]


def linker_command(compiler: Compiler, objects: Iterable[Path], output: Path) -> list[str]:
    """Return the command that links objects to the shared library ``output``."""
    return [*compiler.command, *_LIBRARY, *map(str, objects), "-o", str(output)]


def pricing_options(options: Options, device_types: bool) -> tuple[str, ...]:
    """Return the options with which a source is compiled in order to price it."""
    names = ("-DDACE_IPU_PRICING",) if device_types else ("-DDACE_IPU_PRICING", "-DDACE_IPU_NO_DEVICE_TYPES")
    own = ("-iquote", ".", "-isystem", str(INCLUDE), "-include", "poplar/codelet/PricedMath.hpp")
    meaning = (option for option in options.compiler if option in _MEANING)
    return (options.standard, *_MACROS, *names, *options.preprocessor, *meaning, *own)


def _common(options: Options, compiler: Compiler) -> list[str]:
    """Flags that both see: macros such as __OPTIMIZE__, __AVX2__ and __cpp_exceptions depend on them."""
    flags = [options.standard, options.optimisation, "-march=native", "-fno-exceptions"]
    if compiler.kind == "gcc" and compiler.major >= 12:
        flags.append("-fexcess-precision=16")  # half rounds after every operation, not once an expression
    return flags


def _preprocessed(compiler: Compiler) -> str:
    # Some builds of clang do not know their own name for it; text without directives survives another turn.
    return "c++" if compiler.kind == "clang" else "c++-cpp-output"


def _language(compiler: Compiler) -> tuple[str, ...]:
    if compiler.kind == "gcc" and compiler.major >= 13:
        return (*_LANGUAGE, "-Wno-changes-meaning")  # `using T = ns::T<U>;` in a class, which clang accepts
    return _LANGUAGE  # an unknown option would be noted beside every error


def _access_control(compiler: Compiler) -> tuple[str, ...]:
    if compiler.kind == "clang":
        return ("-Xclang", "-fno-access-control")
    return ("-fno-access-control", "-fno-gnu-unique")
